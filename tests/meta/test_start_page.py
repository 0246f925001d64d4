"""docs/start.md works as it is printed: its commands are run, its files written, its requests sent, its outputs compared."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.meta import checkout, pages

PORT = 8000
#: What this run has already: an environment with the package in it.
GIVEN = ("python -m venv", ". .venv/", "pip install")
PYTHON = ("-W", "error::DeprecationWarning")


def commands(snippet: pages.Snippet) -> Iterator[str]:
    """Yield the commands of a block of console that this run has to do."""
    for line in snippet.text.splitlines():
        command = line.removeprefix("$ ")
        if not command.startswith(GIVEN):
            yield command


def arguments(command: str) -> tuple[list[str], dict[str, str]]:
    """Return a printed command as its arguments for this interpreter, and the variables set before it."""
    words = command.split()
    variables = {}
    while (match := re.fullmatch(r"([A-Z_]+)=(\S+)", words[0])) is not None:
        variables[match[1]] = match[2]
        words.pop(0)
    program = {"python": [], "django-admin": ["-m", "django"], "pytest": ["-m", "pytest", "-q", "-p", "no:cacheprovider"]}[words[0]]
    return [sys.executable, *PYTHON, *program, *words[1:]], variables


def write(site: Path, snippet: pages.Snippet) -> None:
    """Write the files of a block: what ``startproject`` made is appended to, anything else is written anew."""
    assert snippet.files, f"{snippet.where} names no file"
    for name, text in snippet.files:
        made = site / name
        made.write_text(f"{made.read_text()}\n\n{text}" if name.startswith("mysite/") else text)


def test_the_first_page_works_as_printed(tmp_path: Path) -> None:
    bash, _curl = checkout.required("bash"), checkout.required("curl")
    site, port, script, server = tmp_path / "site", checkout.free_port(), "", ""
    site.mkdir()
    env = checkout.environment(PYTHONPATH=str(pages.ROOT))
    for snippet in pages.snippets(pages.page("start")):
        if snippet.language in ("python", "ini"):
            write(site, snippet)
        elif snippet.language == "bash":
            script += snippet.text
        for command in commands(snippet) if snippet.language == "console" else ():
            if "runserver" in command:
                server = f"{command} --noreload 127.0.0.1:{PORT}"
                continue
            program, variables = arguments(command)
            checkout.run(program, site, {**env, **variables})
    walk = tmp_path / "walk"
    walk.mkdir()
    (walk / "requests.sh").write_text(script.replace(str(PORT), str(port)))
    with checkout.served(arguments(server.replace(str(PORT), str(port)))[0], port, site, env):
        output = checkout.run([bash, "-eu", "requests.sh"], walk)
    assert output.splitlines() == re.findall(r"^# (.*)$", script, re.MULTILINE)
