"""What the wheel holds and declares, file by file. That another project can use it is tested beside this file."""

import sys
import tomllib
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import HeaderParser

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.meta import checkout
from tests.meta.source import PACKAGE, ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("distribution")
    tree = checkout.copy_tree(folder / "tree")
    checkout.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder / "dist", tree], folder)
    (built,) = (folder / "dist").iterdir()
    with zipfile.ZipFile(built) as archive:
        yield archive


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return HeaderParser().parsestr(wheel.read(name).decode())


def test_it_holds_every_file_of_the_app(wheel: zipfile.ZipFile):
    files = {path.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert files == {name for name in wheel.namelist() if name.startswith("turnframe_django/")}
    assert {"locale", "migrations", "static", "templates", "py.typed"} <= {name.split("/")[1] for name in files}


def test_it_declares_what_it_needs_and_nothing_that_only_tests_need(metadata: Message):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {canonicalize_name(Requirement(line).name) for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line}
    assert needed == {canonicalize_name(Requirement(line).name) for line in project["dependencies"]}
    assert not needed & {"daphne", "psycopg", "pytest"}


def test_it_says_under_which_terms_and_for_whom(wheel: zipfile.ZipFile, metadata: Message):
    assert (metadata["License-Expression"], metadata["Requires-Python"]) == ("MIT", ">=3.11")
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())


def test_every_extra_can_be_asked_for(metadata: Message):
    assert {"daphne", "demo", "dev", "openai", "openapi", "otel", "postgres", "redis"} == set(metadata.get_all("Provides-Extra", []))
