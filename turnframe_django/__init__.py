"""Conversations that change real records and never lie about it.

The public names are ``flow``, ``testing``, ``signals``, ``urls``, ``models.CaseModel``, ``context.Actor`` and the verbs of ``runtime``;
everything else may change between minor releases.
"""

__version__ = "0.1.0"
