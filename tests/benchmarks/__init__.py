"""What a turn costs, beside what the usual code costs in the same run: ``make bench``.

Not tests: pytest collects nothing here. Two baselines take the same requests through the same session, authentication and REST framework.
``naive`` is the reply-plus-cards handler that most teams write: it keeps two messages, and does whatever the client's action says.
``plain`` writes the very rows of ours through the ORM, and that it does is checked before anything is measured.
"""
