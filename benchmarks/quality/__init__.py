"""How well loops are told from good work, side by side with other detectors: ``python -m benchmarks.quality``."""
