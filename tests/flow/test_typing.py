"""The type checker's view of an adopter's code: the example passes strictly, and misuse is told where it stands."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parent / "example"
ROOT = Path(__file__).parents[2]

CONFIGURATION = """
[mypy]
strict = True
plugins = mypy_django_plugin.main
mypy_path = {here}:{root}
explicit_package_bases = True
show_error_codes = True

[mypy.plugins.django-stubs]
django_settings_module = adopter_settings
"""

SETTINGS = """
SECRET_KEY = "only for the type checker"
INSTALLED_APPS = ["adopter.travel"]
"""


def test_the_example_is_accepted_strictly_and_misuse_is_told_line_by_line(tmp_path: Path) -> None:
    adopter = tmp_path / "adopter"
    shutil.copytree(EXAMPLE, adopter, ignore=shutil.ignore_patterns("__pycache__"))
    misuse = adopter / "misuse.py"
    (adopter / "misuse.py.txt").rename(misuse)
    (tmp_path / "adopter_settings.py").write_text(SETTINGS)
    (tmp_path / "mypy.ini").write_text(CONFIGURATION.format(here=tmp_path, root=ROOT))
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", "cache", "--no-error-summary", "adopter"],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    told = {
        (path, int(line), code)
        for path, line, code in re.findall(r"^(\S+?):(\d+): error: .*\[([a-z-]+)\]$", ran.stdout, re.MULTILINE)
        if path.startswith("adopter/")
    }
    lines = enumerate(misuse.read_text().splitlines(), 1)
    expected = {("adopter/misuse.py", number, found[1]) for number, line in lines if (found := re.search(r"# \[([a-z-]+)\]$", line))}
    assert told == expected, ran.stdout + ran.stderr
    assert len(expected) > 20
