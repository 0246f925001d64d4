"""The tree as somebody else gets it: copied without what nobody will commit, run by this interpreter, away from the source."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.meta.pages import ROOT

_NEVER = shutil.ignore_patterns(".git", ".venv", "var", "__pycache__", ".*_cache", ".hypothesis", "dist", "build")


def copy_tree(to: Path) -> Path:
    """Copy the files that are committed, or would be, to the new folder ``to`` and return it."""
    if not (ROOT / ".git").exists():
        return Path(shutil.copytree(ROOT, to, ignore=_NEVER))
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    return to


def environment(**more: str) -> dict[str, str]:
    """Return this environment without what would reach into a child: settings, paths, proxies, a shell's start-up file."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TURNFRAME_", "DJANGO_", "PYTHON", "PYTEST_", "COV_"))
        and not name.lower().endswith("_proxy")
        and name not in {"BASH_ENV", "ENV"}
    }
    return {**kept, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}", **more}


def run(arguments: Sequence[str | Path], cwd: Path, env: Mapping[str, str] | None = None, patience: float = 60) -> str:
    """Run a command to its end and return what it printed; fail with everything it said where it did not succeed."""
    done = subprocess.run(
        arguments, cwd=cwd, env=environment() if env is None else env, capture_output=True, text=True, check=False, timeout=patience
    )
    assert done.returncode == 0, f"{' '.join(map(str, arguments))} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def required(program: str) -> str:
    """Return the path of ``program``. Fails where this machine has none: a tour that is not walked proves nothing."""
    found = shutil.which(program)
    assert found is not None, f"{program} is needed to run what the documents print, and this machine has none."
    return found


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(
    arguments: Sequence[str | Path], port: int, cwd: Path, env: Mapping[str, str] | None = None, patience: float = 60
) -> Iterator[Path]:
    """Run a server until the block ends; inside, it answers on ``port``. Yields the file of what it says."""
    said = cwd / "served.log"
    with said.open("w") as log:
        process = subprocess.Popen(
            arguments, cwd=cwd, env=environment() if env is None else env, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        _wait(process, port, said, patience)
        yield said
    finally:
        _stop(process)


def _wait(process: "subprocess.Popen[bytes]", port: int, said: Path, patience: float) -> None:
    deadline = time.monotonic() + patience
    while process.poll() is None and time.monotonic() < deadline:
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{port}/turnframe/", timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"The server does not answer (ended: {process.poll()}):\n{said.read_text()}")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Stop a server and everything that it started: they share a process group of their own."""
    for number, patience in ((signal.SIGTERM, 10.0), (signal.SIGKILL, 10.0)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and _is_alive(process):
            time.sleep(0.05)
    process.wait()


def _is_alive(process: "subprocess.Popen[bytes]") -> bool:
    process.poll()
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True
