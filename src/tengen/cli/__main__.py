"""``python -m tengen.cli``."""

from tengen.cli.main import main

main()
