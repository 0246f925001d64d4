"""Progress of long work: a bar with rate and time left on a terminal, a line each ten per cent elsewhere."""

import time
from typing import TextIO


class Progress:
    """Counts to ``total`` on ``stream``. Says nothing during the first two seconds, so short work stays quiet."""

    def __init__(self, stream: TextIO, total: int, what: str) -> None:
        self.stream = stream
        self.total = max(total, 1)
        self.what = what
        self.done = 0
        self._started = time.monotonic()
        self._shown = 0
        self._bar = stream.isatty()

    def advance(self, by: int = 1) -> None:
        """Count ``by`` more, and show it where it is time to."""
        self.done += by
        elapsed = time.monotonic() - self._started
        if elapsed < 2:
            return
        rate = self.done / elapsed
        left = max(0, self.total - self.done) / rate
        tenth = min(10, self.done * 10 // self.total)
        figures = f"{self.what} {min(self.done, self.total)}/{self.total}, {rate:.1f}/s, {left:.0f} s left"
        if self._bar:
            self.stream.write(f"\r[{'#' * tenth}{'.' * (10 - tenth)}] {figures}\x1b[K")
        elif tenth > self._shown:
            self.stream.write(f"{tenth * 10:3d} % {figures}\n")
        self.stream.flush()
        self._shown = max(self._shown, tenth)

    def finish(self) -> None:
        """End the bar, so that what follows starts on a line of its own."""
        if self._bar and self._shown:
            self.stream.write("\n")
