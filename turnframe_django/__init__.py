"""Conversations that change real records and never lie about it.

The public names are those that docs/reference.md lists; everything else may change between minor releases.
"""

__version__ = "0.1.0"
