"""What the documents print is true: their Python runs and is typed, their links and sections exist, their tables are those of the code.

The blocks of the pages are written into one project, each into the file it names, and that project is migrated, type-checked and tested.
"""

import ast
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from tests.meta import checkout, pages
from turnframe_django import codec, urls
from turnframe_django.flow import notices
from turnframe_django.protocol.blocks import UnknownBlock, read_body
from turnframe_django.protocol.conversations import conversation_document
from turnframe_django.protocol.frames import frame_text
from turnframe_django.protocol.inputs import InputLimits
from turnframe_django.protocol.problems import PROBLEMS
from turnframe_django.protocol.turns import head_text, parse_turn_input, turn_text

#: Blocks that nobody can run; each says why where it stands.
MOST_NOT_RUN = 3
PYTHON = [snippet for path in pages.every_page() if path.exists() for snippet in pages.snippets(path, "python")]

#: What the pages say and do not test themselves.
TESTS = """
import asyncio
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from desk.people import resolve
from desk.reading import Reader
from desk.redaction import redact_turn
from desk.watch import in_doubt, missing_guards
from desk.workflows import OpenTicket, TicketWorkflow
from turnframe_django import blocks
from turnframe_django.flow import Brief
from turnframe_django.models import Block, Turn


def test_a_redacted_turn_says_nothing_any_more(scenario):
    s = scenario(TicketWorkflow)
    s.user("the door squeaks", proposes=[OpenTicket(problem="door squeaks")])
    turn = UUID(s.turn["turn_id"])
    redact_turn(turn, "article 17")
    redact_turn(turn, "again")
    assert Turn.objects.get(pk=turn).input == ""
    assert {block.redaction_authority for block in Block.objects.filter(turn=turn)} == {"article 17"}


def test_nothing_else_passes_the_guards(scenario):
    s = scenario(TicketWorkflow)
    s.user("the door squeaks", proposes=[OpenTicket(problem="door squeaks")])
    with pytest.raises(IntegrityError, match="turnframe:"):
        Turn.objects.filter(pk=UUID(s.turn["turn_id"])).update(input="{}")


def test_an_operator_sees_what_is_in_doubt_and_what_is_missing(db):
    assert (in_doubt(), missing_guards()) == ([], [])


def test_the_account_is_the_mail_domain():
    actor = resolve(User(pk=7, email="ann@acme.example", is_staff=True))
    assert (actor.account, actor.user, actor.roles) == ("acme.example", "7", {"staff"})


def test_the_reader_reads_and_quotes():
    start = {"workflow": "ticket", "key": "open_ticket", "summary": "", "words": "", "arguments": {}}
    told = Brief(message="the lamp is broken", locale="en", today="2026-03-01", records=[], starts=[start])
    (act,) = asyncio.run(Reader().interpret(told)).acts
    assert act.arguments["problem"] == {"value": "the lamp is broken", "quote": "the lamp is broken"}


def test_a_kind_of_ones_own_is_read_in_words():
    _version, text = blocks.text("queue", UUID(int=1), {"waiting": 3})
    assert blocks.words(blocks.read(text)) == "3 tickets are waiting."


def test_a_signed_hook_is_news_and_an_unsigned_one_is_not(db, settings):
    import hashlib, hmac, json
    from django.test import RequestFactory
    from shop.models import Order
    from shop.views import warehouse_hook
    from shop.workflows import OrderWorkflow
    from turnframe_django import runtime
    from turnframe_django.context import Actor

    order = Order.objects.create(account="acme")
    runtime.open_conversation(Actor("acme", "ann"), cases_named=[("order", str(order.pk))])
    body = json.dumps({"message": "m1", "order": str(order.pk), "status": "late"}).encode()
    signed = hmac.new(b"secret", body, hashlib.sha256).hexdigest()
    send = lambda signature, sent=body: warehouse_hook(
        RequestFactory().post("/hook/", sent, content_type="application/json", headers={"X-Signature": signature})
    ).status_code
    assert (send(""), send(signed), send(signed)) == (401, 204, 204)
    order.refresh_from_db()
    assert (order.status, order.revision) == ("late", 1)
"""

MYPY = """
[mypy]
strict = True
plugins = mypy_django_plugin.main
mypy_path = {site}:{root}
explicit_package_bases = True
exclude = manage.py
[mypy.plugins.django-stubs]
django_settings_module = mysite.settings
[mypy-conftest,mysite.*,checks.*]
ignore_errors = True
"""


# --- Python ------------------------------------------------------------------------------------------------------------------------------


def test_every_block_of_python_is_run_or_says_why_not() -> None:
    assert [snippet.where for snippet in PYTHON if not (snippet.files or snippet.excerpt_of or snippet.not_run)] == []
    assert len([snippet for snippet in PYTHON if snippet.not_run]) <= MOST_NOT_RUN


@pytest.mark.parametrize("snippet", [snippet for snippet in PYTHON if snippet.excerpt_of], ids=lambda snippet: snippet.where)
def test_an_excerpt_stands_in_its_file(snippet: pages.Snippet) -> None:
    whole = ast.parse((pages.ROOT / snippet.excerpt_of).read_text())
    assert _is_part(ast.parse(snippet.text), whole), f"{snippet.where} is not what {snippet.excerpt_of} says"


def test_the_walk_through_a_workflow_is_the_example_that_the_type_checker_reads() -> None:
    first, last = "One workflow from top to bottom", "Every surface"
    text = pages.page("workflows").read_text()
    before = text[: text.index(f"\n## {last}\n")].count("\n")
    assert text.index(f"\n## {first}\n") < text.index(f"\n## {last}\n")
    parts = [made for snippet in PYTHON if snippet.page.stem == "workflows" and snippet.line < before for made in snippet.files]
    walked = ast.parse("\n".join(code for name, code in parts if name == "travel/workflows.py"))
    example = ast.parse((pages.ROOT / "tests/flow/example/travel/workflows.py").read_text())
    assert ast.dump(walked) == ast.dump(ast.Module(example.body[1:], []))  # its first statement is the module's docstring


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that holds every file that the pages print."""
    root = tmp_path_factory.mktemp("documented")
    checkout.run([sys.executable, "-m", "django", "startproject", "mysite", "."], root)
    files: dict[str, str] = {}
    for snippet in [snippet for snippet in PYTHON if snippet.page.parent.name == "docs" and not snippet.not_run]:
        for name, text in snippet.files:
            files[name] = f"{files[name]}\n\n{text}" if name in files else text
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).parent.joinpath("__init__.py").touch()
        (root / name).write_text((root / name).read_text() + text if (root / name).exists() else text)
    (root / "__init__.py").unlink()
    apps = sorted({str(Path(name).parent) for name in files if Path(name).name == "models.py"})
    with (root / "mysite/settings.py").open("a") as settings:
        settings.write(f"\nINSTALLED_APPS += [app for app in {apps} if app not in INSTALLED_APPS]\nWAREHOUSE_SECRET = 'secret'\n")
    (root / "checks").mkdir()
    (root / "checks/tests.py").write_text(TESTS)
    (root / "pytest.ini").write_text("[pytest]\nDJANGO_SETTINGS_MODULE = mysite.settings\npython_files = tests.py\n")
    (root / "mypy.ini").write_text(MYPY.format(site=root, root=pages.ROOT))
    return root


def test_the_python_of_the_pages_runs(site: Path) -> None:
    env = checkout.environment(PYTHONPATH=str(pages.ROOT))
    python = [sys.executable, "-W", "error::DeprecationWarning"]
    apps = [str(path.parent.name) for path in site.glob("*/models.py")]
    checkout.run([*python, "manage.py", "makemigrations", *apps], site, env)
    checkout.run([*python, "manage.py", "check", "--fail-level", "ERROR"], site, env)
    assert "passed" in checkout.run([*python, "-m", "pytest", "-q", "-p", "no:cacheprovider"], site, env)


def test_the_python_of_the_pages_is_typed(site: Path) -> None:
    env = checkout.environment(PYTHONPATH=f"{site}:{pages.ROOT}")
    checkout.run([sys.executable, "-m", "mypy", "--cache-dir", site / "cache", "."], site, env, patience=300)


def test_the_pages_use_public_names_only() -> None:
    promised = re.findall(r"`(turnframe_django\.[\w.]+)`", pages.page("reference").read_text())
    for name in promised:
        pkgutil.resolve_name(name)
    used = set()
    for snippet in PYTHON:
        for node in ast.walk(ast.parse(snippet.text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "turnframe_django":
                used |= {(snippet.where, f"{node.module}.{alias.name}") for alias in node.names}
    assert len(used) > 20
    assert [name for name in sorted(used) if not any(f"{name[1]}.".startswith(f"{known}.") for known in promised)] == []


# --- links and sections ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", pages.every_page(), ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    missing = []
    for target in pages.links(path):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        aim = (path.parent / name).resolve() if name else path
        if not aim.exists() or (anchor and anchor not in pages.anchors(aim)):
            missing.append(target)
    assert missing == []


def _references() -> Iterator[tuple[str, str, str]]:
    """Yield each mention of a page in the code: where, which page, which section (empty: the page as a whole)."""
    for folder in ("turnframe_django", "demo_project", "tests"):
        for path in sorted((pages.ROOT / folder).rglob("*.py")):
            text = re.sub(r"\s*\n\s*#?\s*", " ", path.read_text())
            for found in re.finditer(r'docs/(\w+)\.md(?:`*, \\?"([^"\\]+)\\?")?', text):
                yield str(path.relative_to(pages.ROOT)), found[1], found[2] or ""


def test_every_section_that_the_code_refers_to_exists() -> None:
    found = list(_references())
    assert any(section for _where, _page, section in found)
    missing = [
        reference
        for reference in found
        if not pages.page(reference[1]).exists() or (reference[2] and reference[2] not in pages.titles(pages.page(reference[1])))
    ]
    assert missing == []


def test_the_readme_leads_to_every_page() -> None:
    led_to = set(pages.links(pages.README))
    assert {f"docs/{name}.md" for name in pages.PAGES} <= led_to
    assert {path.stem for path in (pages.ROOT / "docs").glob("*.md")} == set(pages.PAGES)


# --- tables ------------------------------------------------------------------------------------------------------------------------------


def test_the_tables_are_those_of_the_code() -> None:
    checkout.run([sys.executable, "docs/tables.py", "--check"], pages.ROOT)


def test_every_problem_and_every_notice_is_in_the_contract() -> None:
    contract = pages.page("protocol").read_text()
    codes = [*PROBLEMS, *notices.REJECTIONS, *notices.NOTICES]
    assert [code for code in codes if f"`{code}`" not in contract] == []


def test_the_contract_names_the_paths_that_there_are() -> None:
    listed = re.findall(r"^\| (?:GET|POST) `([^`]+)` \|", pages.page("protocol").read_text(), re.MULTILINE)
    served = {re.sub(r"<str:(?:conversation_)?(\w+)>", r"{\1}", str(entry.pattern)) for entry in urls.urlpatterns}
    assert set(listed) == served


def test_the_examples_of_the_contract_are_of_the_form_that_is_sent() -> None:
    shown = [json.loads(snippet.text) for snippet in pages.snippets(pages.page("protocol"), "json")]
    moment, some = datetime(2026, 3, 1, tzinfo=UTC), UUID(int=1)
    conversation = conversation_document(
        conversation_id=some, engine="", chat=None, title="", locale="", created_at=moment, last_activity_at=moment, turn_in_progress=False
    )
    turn = json.loads(
        turn_text(
            turn_id=some,
            client_turn_id="",
            conversation_id=some,
            ordinal=1,
            source="",
            phase="",
            input_text="",
            received_at=moment,
            delivered_at=None,
            head=head_text(conversation_id=some, turn_id=some, replay_token=some),
        )
    )
    frame = json.loads(frame_text(1, "", some, moment, "{}"))
    forms = [set(form) for form in (conversation, turn, frame)]
    assert [form for form in forms if form not in [set(example) for example in shown]] == []
    (whole,) = (example for example in shown if "assistant_turn" in example)
    assert set(whole["assistant_turn"]) == set(turn["assistant_turn"])
    bodies = [example for example in shown if "block_id" in example] + whole["assistant_turn"]["blocks"]
    assert {body["kind"] for body in bodies} == {"transition", "receipt", "interaction"}
    assert not any(isinstance(read_body(codec.encode(body)), UnknownBlock) for body in bodies)
    (click,) = (example for example in shown if "interaction_response" in example)
    assert parse_turn_input(codec.encode(click).encode(), None, InputLimits()).interaction_response is not None


def test_every_rule_of_views_is_explained() -> None:
    source = (pages.ROOT / "turnframe_django/flow/view.py").read_text()
    codes = set(re.findall(r'Violation\(\s*"(\w+)"', source))
    assert len(codes) == 11
    explained = pages.section(pages.page("workflows"), "Views")
    assert [code for code in sorted(codes) if f"`{code}`" not in explained] == []


def _is_part(part: ast.AST, whole: ast.AST) -> bool:
    """Whether the statements of ``part`` stand in ``whole`` in their order, those of classes and functions likewise."""
    rest = iter(getattr(whole, "body", []))
    return all(any(_is_same(statement, candidate) for candidate in rest) for statement in getattr(part, "body", []))


def _is_same(statement: ast.stmt, candidate: ast.stmt) -> bool:
    if not isinstance(statement, ast.ClassDef) or not isinstance(candidate, ast.ClassDef):
        return ast.dump(statement) == ast.dump(candidate)
    headers = [ast.dump(ast.ClassDef(it.name, it.bases, it.keywords, [], it.decorator_list)) for it in (statement, candidate)]
    return headers[0] == headers[1] and _is_part(statement, candidate)
