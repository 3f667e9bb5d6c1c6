"""Options and paths of the whole test suite."""
