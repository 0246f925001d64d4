"""What the decisions of a workflow must hold to, without a database."""
