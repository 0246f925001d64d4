"""What reads the messages of these tests."""

from tests.desk import workflows
from turnframe_django.understanding.scripted import ScriptedInterpreter

scripted = ScriptedInterpreter(
    {
        "start a parcel": [workflows.OpenParcel()],
        "call it Box": [workflows.NameParcel(name="Box")],
        "call it broken": [workflows.NameParcel(name="broken")],
        "send it": [workflows.AskToSend()],
        "malformed": {"acts": "none"},
    }
)
