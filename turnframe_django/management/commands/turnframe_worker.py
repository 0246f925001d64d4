"""``turnframe_worker``: does in the background what turns have promised. Any number of them may run."""

import logging
import signal
import threading
from argparse import ArgumentParser
from collections.abc import Callable
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, connections

from turnframe_django.exceptions import Problem
from turnframe_django.management.progress import Progress
from turnframe_django.models import OutboxEntry
from turnframe_django.runtime import deliver_outbox
from turnframe_django.runtime.transactions import LockWaitOver

logger = logging.getLogger(__name__)

Job = Callable[["Command"], int]


class Command(BaseCommand):
    """Runs every job in turn until it is asked to stop, or one job once with ``--once``."""

    help = "Deliver what turns have promised to the outside. Stops cleanly on SIGINT and SIGTERM, after the delivery it is at."

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stopping = threading.Event()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--once", choices=sorted(JOBS), help="run this job until nothing is due, then exit")
        parser.add_argument("--pause", type=float, default=1.0, metavar="SECONDS", help="how long to rest when nothing is due (1)")

    def handle(self, *args: Any, once: str | None, pause: float, **options: Any) -> None:
        """Run."""
        if once is not None:
            done = JOBS[once](self)
            self.stdout.write(f"{once}: {done} done")
            return
        self._listen()
        self.stdout.write(f"worker started: {', '.join(sorted(JOBS))}")
        self.stdout.flush()
        while not self.stopping.is_set():
            done = sum(self._attempt(name) for name in JOBS)
            connections.close_all()
            if not done:
                self.stopping.wait(pause)
        self.stdout.write("worker stopped")

    def _attempt(self, name: str) -> int:
        """Run one job; a database that is locked or away for a while is no reason to stop working."""
        try:
            return JOBS[name](self)
        except (DatabaseError, InterfaceError, LockWaitOver, Problem) as error:
            logger.warning("%s: %s, will be tried again", name, type(error).__name__)
            return 0

    def _listen(self) -> None:
        def stop(number: int, frame: FrameType | None) -> None:
            self.stopping.set()

        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, stop)
            signal.signal(signal.SIGTERM, stop)


def outbox(command: Command) -> int:
    """Deliver due outbox entries until there are none, or a stop is asked for; return how many."""
    waiting = OutboxEntry.objects.filter(status="pending").count()
    if not waiting:
        return 0
    progress = Progress(command.stdout, waiting, "outbox")  # type: ignore[arg-type]
    done = 0
    while not command.stopping.is_set() and deliver_outbox(most=1):
        done += 1
        progress.advance()
    progress.finish()
    return done


JOBS: dict[str, Job] = {"outbox": outbox}
