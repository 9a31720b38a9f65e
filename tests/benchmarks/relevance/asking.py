"""What is asked: questions, and the operations that each may find."""

Questions = dict[str, frozenset[str]]
