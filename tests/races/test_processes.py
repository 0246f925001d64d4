"""Processes know nothing of each other's threads: the database alone keeps a card from being carried out twice."""

import json
import subprocess
import sys
from pathlib import Path

from django.db import connection

from tests.races.crowd import asked
from turnframe_django.models import Command, DomainEvent

ROOT = Path(__file__).parents[2]
THREADS = 3


def test_r3_two_processes_clicking_one_card_execute_once_and_get_the_same_bytes() -> None:
    card = asked()
    told: list[list[object]] = []
    arguments = []
    for option in ("confirm", "decline"):
        clicked = {
            "conversation_id": str(card.conversation.pk),
            "interaction_id": card.shown["interaction_id"],
            "option_id": option,
            "revision": card.shown["case_ref"]["revision"],
            "threads": THREADS,
        }
        arguments.append([sys.executable, "-m", "tests.races.clicker", str(connection.settings_dict["NAME"]), json.dumps(clicked)])
    processes = [subprocess.Popen(argument, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for argument in arguments]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            output, _ = process.communicate(timeout=60)
            told += json.loads(output)
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()
    assert sorted(outcome[0] for outcome in told) == [200] * (2 * THREADS - 1) + [201], told  # type: ignore[type-var]
    assert len({outcome[1] for outcome in told}) == 1
    (chosen,) = {str(outcome[2]) for outcome in told}
    assert Command.objects.get().status == {"confirm": "committed", "decline": "dropped"}[chosen]
    assert DomainEvent.objects.filter(type="parcel.sent").count() == (chosen == "confirm")
