"""A process of its own that clicks one card with a few threads: ``python -m tests.races.clicker <database> <card as JSON>``.

It says "ready" when it could begin, begins when it is sent a line, and prints what each click came to.
"""

import hashlib
import json
import os
import sys
from uuid import UUID

import django


def main(database: str, asked: str) -> None:
    """Connect to the test's database, wait for the word, and click."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.db import connections

    connections["default"].settings_dict["NAME"] = database
    connections.databases["default"]["NAME"] = database
    from tests.threads import together
    from turnframe_django import runtime
    from turnframe_django.context import Actor
    from turnframe_django.protocol.turns import InteractionResponse, TurnInput

    card = json.loads(asked)
    response = InteractionResponse(
        interaction_id=card["interaction_id"], option_id=card["option_id"], expected_case_revision=card["revision"]
    )

    def click(number: int) -> list[object]:
        answer = runtime.handle_turn(Actor("acme", "ann"), UUID(card["conversation_id"]), TurnInput(interaction_response=response))
        return [answer.status, hashlib.sha256(answer.body.encode()).hexdigest(), answer.resolved_option]

    say("ready")
    sys.stdin.readline()
    told = [outcome if isinstance(outcome, list) else [repr(outcome)] for outcome in together(card["threads"], click)]
    say(json.dumps(told))


def say(line: str) -> None:
    """Tell the parent."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
