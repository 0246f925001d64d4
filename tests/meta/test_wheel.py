"""The wheel in somebody else's project: built, installed where this tree is out of sight, wired as the README prints, and used over REST.

The project is a fresh ``startproject`` with a user model of its own. Its app is the ticket desk of docs/start.md, read by a scripted
interpreter.
"""

import json
import os
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.meta import checkout, pages

#: A user model as many sites have one: another key, and a name of its own.
PEOPLE = """
import uuid

from django.contrib.auth.models import AbstractUser
from django.db import models


class Person(AbstractUser):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
"""

#: Takes turns over REST, signed in as a person, and prints what came of them.
TURNS = """
import json
import os

import django
from django.conf import settings
from django.test import Client, override_settings

os.environ["DJANGO_SETTINGS_MODULE"] = "mysite.settings"
django.setup()

import turnframe_django
from people.models import Person
from turnframe_django.models import Command, DomainEvent, Turn

client = Client(SERVER_NAME="localhost")
client.force_login(Person.objects.create_user("ann", password="ann"))


def post(path, body):
    answer = client.post(f"/turnframe/{path}", json.dumps(body), content_type="application/json")
    return answer.status_code, answer.json()


def kinds(turn):
    return [block["kind"] for block in turn["assistant_turn"]["blocks"]]


def receipts(turn):
    return [block["receipt"]["status_code"] for block in turn["assistant_turn"]["blocks"] if block["kind"] == "receipt"]


told = {"package": turnframe_django.__file__, "user_model": settings.AUTH_USER_MODEL}
_, conversation = post("conversations/", {})
turns = f"conversations/{conversation['conversation_id']}/turns/"
status, opened = post(turns, {"text": "The tap in the kitchen drips"})
told["opened"] = status, kinds(opened)
told["receipts"] = receipts(opened)
cited = next(block["receipt"]["event_ids"] for block in opened["assistant_turn"]["blocks"] if block["kind"] == "receipt")
told["cited"], told["backed"] = len(cited), DomainEvent.objects.filter(pk__in=cited).count()
status, asked = post(turns, {"text": "Close it, please"})
told["asked"] = status, kinds(asked)
card = asked["assistant_turn"]["blocks"][-1]["interaction"]
without = {key: value for key, value in settings.TURNFRAME.items() if key != "INTERPRETER"}
with override_settings(TURNFRAME=without):
    before = Turn.objects.count(), Command.objects.count()
    status, refused = post(turns, {"text": "Close it, please", "client_turn_id": "unread"})
    told["without"] = status, refused["code"], refused["retryable"]
    told["stored_without"] = (Turn.objects.count(), Command.objects.count()) != before
    click = {"interaction_id": card["interaction_id"], "option_id": "confirm", "expected_case_revision": card["case_ref"]["revision"]}
    status, closed = post(turns, {"interaction_response": click})
    told["clicked"] = status, receipts(closed)
    again, same = post(turns, {"interaction_response": click})
    told["again"] = again, same == closed
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built by the running interpreter from a copy of the tree."""
    to = tmp_path_factory.mktemp("wheel")
    tree = checkout.copy_tree(to / "tree")
    checkout.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", to / "dist", tree], to)
    (built,) = (to / "dist").iterdir()
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a new environment that has the wheel, and sees what this one has but nothing of this tree."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    found = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    install: list[str | Path] = [
        "-m",
        "pip",
        "--python",
        found,
        "--disable-pip-version-check",
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
        wheel,
    ]
    checkout.run([sys.executable, *install], home, checkout.environment(PIP_CONFIG_FILE=os.devnull))
    site = checkout.run([found, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], home).strip()
    # A plain line adds the folder. Files of that kind in the folder itself, an editable install's among them, are not read.
    seen = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (Path(site) / "those_of_the_tests.pth").write_text("".join(f"{path}\n" for path in seen))
    return found


@pytest.fixture(scope="module")
def site(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that is wired as the README prints, migrated and ready."""
    root = tmp_path_factory.mktemp("site")
    checkout.run([python, "-m", "django", "startproject", "mysite", "."], root)
    settings, urls = root / "mysite/settings.py", root / "mysite/urls.py"
    (root / "people").mkdir()
    (root / "people/__init__.py").touch()
    (root / "people/models.py").write_text(PEOPLE)
    for name, text in _files("start"):
        if name.startswith("desk/"):
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
    (root / "desk/__init__.py").touch()
    own = 'INSTALLED_APPS += ["people", "desk"]\nAUTH_USER_MODEL = "people.Person"\n'
    wiring = {name: text for snippet in pages.snippets(pages.README, "python") for name, text in snippet.files}
    (options,) = (text for name, text in _files("operating") if name == "mysite/settings.py")
    settings.write_text("\n".join([settings.read_text(), own, wiring["settings.py"], options]))
    urls.write_text("\n".join([urls.read_text(), wiring["urls.py"]]))
    checkout.run([python, "manage.py", "makemigrations", "people", "desk"], root)
    checkout.run([python, "manage.py", "migrate"], root)
    return root


@pytest.fixture(scope="module")
def told(python: Path, site: Path) -> dict[str, Any]:
    """Return what came of the turns that were taken in the project."""
    (site / "turns.py").write_text(TURNS)
    said: dict[str, Any] = json.loads(checkout.run([python, "-W", "error::DeprecationWarning", "turns.py"], site))
    return said


def _files(page: str) -> list[tuple[str, str]]:
    return [made for snippet in pages.snippets(pages.page(page), "python") for made in snippet.files]


def test_the_wheel_holds_the_app_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"turnframe_django"}
    assert {
        "turnframe_django/py.typed",
        "turnframe_django/migrations/0001_initial.py",
        "turnframe_django/locale/it/LC_MESSAGES/django.mo",
        "turnframe_django/templates/turnframe/blocks/receipt.html",
        "turnframe_django/static/turnframe/blocks.css",
    } <= names
    assert [name for name in names if name.endswith((".pyc", ".sqlite3"))] == []


def test_another_project_migrates_and_checks_clean(python: Path, site: Path) -> None:
    assert "No changes detected" in checkout.run([python, "manage.py", "makemigrations", "--check"], site)
    assert "no issues" in checkout.run([python, "manage.py", "check"], site)


def test_another_project_takes_turns_over_rest(told: dict[str, Any]) -> None:
    assert told["user_model"] == "people.Person"
    assert told["opened"][0] == 201
    assert told["receipts"] == ["ticket.opened"]
    assert (told["cited"], told["backed"]) == (1, 1)
    assert told["asked"] == [201, ["interaction"]]


def test_the_package_that_it_used_is_the_one_from_the_wheel(told: dict[str, Any], python: Path) -> None:
    assert Path(told["package"]).is_relative_to(python.parents[1])


def test_without_an_interpreter_words_are_refused_and_clicks_work(told: dict[str, Any]) -> None:
    assert told["without"] == [503, "assistant_unavailable", False]
    assert told["stored_without"] is False
    assert told["clicked"] == [201, ["ticket.closed"]]
    assert told["again"] == [200, True]
