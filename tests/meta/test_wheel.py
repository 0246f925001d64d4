"""What the wheel holds: the app with everything it needs, and nothing of this repository besides."""

import subprocess
import sys
import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import turnframe_django
from tests.meta.source import PACKAGE, ROOT

#: Files of the package that are not modules but must travel with it.
DATA = ("templates", "static", "locale")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as archive:
        yield archive


def test_it_holds_the_app_and_its_metadata_alone(wheel: zipfile.ZipFile):
    assert {name.partition("/")[0] for name in wheel.namelist()} == {
        "turnframe_django",
        f"turnframe_django-{turnframe_django.__version__}.dist-info",
    }
    assert not [name for name in wheel.namelist() if name.endswith((".pyc", ".sqlite3", ".orig"))]


def test_it_holds_every_module_and_the_mark_that_it_is_typed(wheel: zipfile.ZipFile):
    modules = {path.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("*.py")}
    assert modules | {"turnframe_django/py.typed"} <= set(wheel.namelist())
    assert "turnframe_django/migrations/0001_initial.py" in wheel.namelist()


@pytest.mark.parametrize("kind", DATA)
def test_it_holds_every_file_that_is_not_a_module(wheel: zipfile.ZipFile, kind: str):
    files = {path.relative_to(ROOT).as_posix() for path in (PACKAGE / kind).rglob("*") if path.is_file()}
    assert files <= set(wheel.namelist())
    assert files, f"there is nothing in {kind}/"


def test_the_italian_words_travel_compiled(wheel: zipfile.ZipFile):
    assert "turnframe_django/locale/it/LC_MESSAGES/django.mo" in wheel.namelist()


def test_its_metadata_names_the_licence_and_what_it_needs(wheel: zipfile.ZipFile):
    name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = HeaderParser().parsestr(wheel.read(name).decode())
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {canonicalize_name(Requirement(line).name) for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line}
    assert needed == {Requirement(line).name for line in project["dependencies"]}
    assert not needed & {"daphne", "psycopg", "pytest"}
