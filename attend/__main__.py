"""`python -m attend`."""

from attend.cli import main

main()
