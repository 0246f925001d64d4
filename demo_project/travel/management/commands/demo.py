"""``demo``: everything a visitor needs in one process tree. It migrates, seeds, serves, and runs the worker beside the server."""

import os
import subprocess
import sys
from argparse import ArgumentParser
from typing import Any

from channels.routing import get_default_application
from daphne.endpoints import build_endpoint_description_strings  # type: ignore[import-untyped]
from daphne.server import Server  # type: ignore[import-untyped]
from django.conf import settings
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from demo_project.travel.seeds import LOGINS

#: How long the worker may take to finish the delivery it is at, in seconds.
WORKER_PATIENCE = 15


class Command(BaseCommand):
    """Serves the demo until SIGINT or SIGTERM, which stop the server and the worker."""

    help = "Migrate, seed and serve the demo over ASGI, with the worker beside it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (8000)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        """Run."""
        call_command("migrate", verbosity=0)
        call_command("seed_demo")
        connections.close_all()
        worker = subprocess.Popen(
            [sys.executable, "-m", "django", "turnframe_worker"],
            cwd=settings.BASE_DIR,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"]},
        )
        try:
            self._serve(host, port)
        finally:
            _stop(worker)

    def _serve(self, host: str, port: int) -> None:
        ready: list[bool] = []

        def announce() -> None:
            ready.append(True)
            shown = f"[{host}]" if ":" in host else "localhost" if host in {"0.0.0.0", "127.0.0.1"} else host
            self.stdout.write(f"\nThe travel desk is at http://{shown}:{port}/\n\n")
            for login in LOGINS:
                self.stdout.write(f"  {login.name} / {login.name}  ({login.about})")
            self.stdout.write("\nStop it with Ctrl-C.\n")
            self.stdout.flush()

        Server(
            application=ASGIStaticFilesHandler(get_default_application()),  # type: ignore[arg-type]
            endpoints=build_endpoint_description_strings(host=host, port=port),
            signal_handlers=True,
            ready_callable=announce,
            action_logger=None,
        ).run()
        if not ready:
            raise CommandError(f"{host}:{port} cannot be listened on.")


def _stop(worker: "subprocess.Popen[bytes]") -> None:
    """Ask the worker to stop, and insist when it does not."""
    if worker.poll() is None:
        worker.terminate()
    try:
        worker.wait(WORKER_PATIENCE)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
