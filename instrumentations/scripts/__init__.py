"""One module per framework, run inside the environment of a row: ``python -m scripts.NAME VARIANT RESULTS``."""
