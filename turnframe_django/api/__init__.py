"""REST: it translates between HTTP and the runtime and decides nothing (docs/protocol.md)."""
