"""Takes the pictures of docs/pictures: the seeded demo, served by this process, in a headless chromium that is signed in.

``python docs/pictures.py [name …]`` needs a ``chromium`` (or ``CHROMIUM``, its path) and nothing of the network. The demo's rows live in a
folder that is removed afterwards. The browser is spoken to through its debugging pipe, which needs no other package.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
#: How long the browser may take for one answer, in seconds.
PATIENCE = 60
#: Width and height of a picture.
SIZE = (1200, 900)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


class Browser:
    """A headless chromium with one page open."""

    def __init__(self, profile: str) -> None:
        found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if found is None:
            raise SystemExit("A chromium is needed: install one, or name it in CHROMIUM.")
        # It reads commands from descriptor 3 and answers on 4; out of their way until then.
        theirs_in, self._out = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in os.pipe())
        self._in, theirs_out = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in os.pipe())
        self.process = subprocess.Popen(
            [found, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(3, 4),
            preexec_fn=lambda: (os.dup2(theirs_in, 3), os.dup2(theirs_out, 4)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._read, self._number, self._page = b"", 0, ""
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self._page = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.tell("Page.enable")
        self.tell("Emulation.setDeviceMetricsOverride", width=SIZE[0], height=SIZE[1], deviceScaleFactor=1, mobile=False)

    def tell(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._page:
            message["sessionId"] = self._page
        os.write(self._out, json.dumps(message).encode() + b"\0")
        answer = self._await(lambda said: said.get("id") == self._number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def show(self, address: str) -> None:
        """Open ``address`` and wait until it is there and has been painted."""
        self.tell("Page.navigate", url=address)
        self._await(lambda said: said.get("method") == "Page.loadEventFired")
        self.tell("Runtime.evaluate", expression="new Promise(done => setTimeout(done, 500))", awaitPromise=True)

    def close(self) -> None:
        """End the browser."""
        self.process.terminate()
        self.process.wait(PATIENCE)
        os.close(self._in)
        os.close(self._out)

    def _await(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while True:
            while b"\0" in self._read:
                line, _, self._read = self._read.partition(b"\0")
                said: dict[str, Any] = json.loads(line)
                if wanted(said):
                    return said
            ready, _, _ = select.select([self._in], [], [], max(0, deadline - time.monotonic()))
            part = os.read(self._in, 1 << 16) if ready else b""
            if not part:
                raise SystemExit("The browser does not answer.")
            self._read += part


class Quiet(WSGIRequestHandler):
    """Writes no access log."""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


@contextmanager
def demo() -> Iterator[None]:
    """Set up the demo on a database of its own, seeded."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "demo_project.settings", "TURNFRAME_DATABASE_URL": f"sqlite:///{folder}/demo.sqlite3"}
        sys.path.insert(0, str(ROOT))
        import django
        from django.core.management import call_command
        from django.db import connections

        django.setup()
        call_command("migrate", verbosity=0)
        call_command("seed_demo")
        yield
        connections.close_all()


@contextmanager
def served() -> Iterator[str]:
    """Serve the demo and yield its address."""
    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.core.wsgi import get_wsgi_application

    with make_server("127.0.0.1", 0, StaticFilesHandler(get_wsgi_application()), handler_class=Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def session_of(name: str) -> str:
    """Sign the user in and return the key of the session."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    client = Client()
    client.force_login(get_user_model()._default_manager.get_by_natural_key(name))
    return client.cookies["sessionid"].value


def take(name: str, user: str, path: str) -> Path:
    """Write the picture ``name`` of what ``user`` sees at ``path``, and return where it is."""
    PICTURES.mkdir(exist_ok=True)
    to = PICTURES / f"{name}.png"
    with served() as address, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            browser.tell("Network.setCookie", name="sessionid", value=session_of(user), url=address)
            browser.show(f"{address}{path}")
            to.write_bytes(base64.b64decode(browser.tell("Page.captureScreenshot", format="png")["data"]))
        finally:
            browser.close()
    return to


def desk() -> Path:
    """The end of a conversation: what was said, a receipt, and an open card."""
    from django.urls import reverse

    from turnframe_django.models import Conversation

    shown = Conversation.objects.get(title="Rome at a new price")
    return take("desk", "traveller", f"{reverse('travel:conversation', args=[shown.pk])}#latest")


def admin_turn() -> Path:
    """The admin's page of a turn: its blocks, and what each rests on."""
    from django.urls import reverse

    from turnframe_django.models import Turn

    turn = Turn.objects.filter(conversation__title="Rome at a new price", source="callback").latest("received_at")
    return take("admin-turn", "admin", reverse("admin:turnframe_turn_change", args=[turn.pk]))


TAKEN: dict[str, Callable[[], Path]] = {"desk": desk, "admin-turn": admin_turn}


def main(names: Iterable[str]) -> None:
    """Take the named pictures, or all."""
    with demo():
        for name in list(names) or TAKEN:
            sys.stdout.write(f"{TAKEN[name]().relative_to(ROOT)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
