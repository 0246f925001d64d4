"""``manage.py demo``: one command that serves, and that stops with everything it started."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(tmp_path: Path, port: int) -> "subprocess.Popen[str]":
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("TURNFRAME_", "DJANGO_"))},
        "TURNFRAME_DATABASE_URL": f"sqlite:///{tmp_path / 'demo.sqlite3'}",
    }
    return subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--host", "127.0.0.1", "--port", str(port)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def get(port: int, path: str, patience: float = 40) -> tuple[int, str]:
    deadline = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, ""
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def iter_until(lines: Iterable[str], last: str) -> Iterator[str]:
    for line in lines:
        yield line
        if last in line:
            return


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def demo(tmp_path: Path, port: int) -> Iterator["subprocess.Popen[str]"]:
    process = start(tmp_path, port)
    yield process
    if process.poll() is None:
        process.kill()
        process.wait()
    assert process.stdout is not None
    process.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_stops_with_its_worker(demo: "subprocess.Popen[str]", port: int, number: signal.Signals) -> None:
    assert demo.stdout is not None
    before = "".join(iter_until(demo.stdout, "worker started"))
    status, html = get(port, "/")
    assert status == 200
    assert "<code>traveller</code>" in html
    assert get(port, "/static/travel/desk.css")[0] == 200
    assert get(port, "/static/turnframe/blocks.css")[0] == 200
    assert get(port, "/turnframe/conversations/")[0] in {401, 403}
    demo.send_signal(number)
    said, _ = demo.communicate(timeout=30)  # returns when the worker has let go of the pipe too
    assert re.search(rf"http://\S+:{port}/", before + said)
    assert "traveller / traveller" in before + said
    assert "worker stopped" in said
    assert "Traceback" not in before + said
    assert demo.returncode == 0


def test_a_port_that_is_taken_is_said_and_nothing_is_left_running(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = start(tmp_path, int(taken.getsockname()[1]))
        said, _ = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "cannot be listened on" in said
