from tests.api.conftest import *
def test_smoke(traveller):
    r = traveller.get("conversations/"); print(r.status_code, r.content, dict(r.headers))
    c = traveller.open()
    for text in ("start a parcel", "call it Box", "send it", "what?"):
        r = traveller.say(c, text); print(r.status_code, r.content, dict(r.headers))
    conv, card = traveller.offered()
    r = traveller.click(conv, card); print(r.status_code, r.content, dict(r.headers))
    r2 = traveller.click(conv, card); print(r2.status_code, r2.content==r.content, dict(r2.headers))
    for p in ("", "turns/", "interactions/", "frames/"):
        r = traveller.get(f"conversations/{conv}/{p}"); print(p, r.status_code, r.content.decode())
    assert 0
