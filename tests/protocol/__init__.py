"""Tests of the wire: pure, without a database."""
