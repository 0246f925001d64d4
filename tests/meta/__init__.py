"""Tests of the tree itself: what its files may hold, what they may import, and what the wheel contains."""
