"""Environment variables of the commands; those of the settings are in the table of parameters.

The hook of a coding agent imports it: it is light.
"""

GATEWAY_VARIABLE = "OTEL_LOOPWATCH_GATEWAY"
"""Where the gateway is: for whoever asks it something."""
TOKEN_FILE_VARIABLE = "OTEL_LOOPWATCH_GATEWAY_TOKEN_FILE"  # noqa: S105 - names a file
"""What is shown to it."""
TOKENS_VARIABLE = "OTEL_LOOPWATCH_GATEWAY_TOKENS"
"""What a gateway wants to be shown."""
HEADERS_VARIABLE = "OTEL_LOOPWATCH_GATEWAY_HEADERS"
"""What a gateway sends along with everything that it forwards."""

OF_COMMANDS = frozenset({GATEWAY_VARIABLE, TOKEN_FILE_VARIABLE, TOKENS_VARIABLE, HEADERS_VARIABLE})
"""All of them."""
