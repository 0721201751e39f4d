"""What ends a command with one line on standard error and exit code 2."""


class BadInput(Exception):
    """What the user gave cannot be used; the message is one line."""
