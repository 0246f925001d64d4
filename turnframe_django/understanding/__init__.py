"""Interpreters: what reads a user's words and proposes what they mean. What they return is never trusted."""
