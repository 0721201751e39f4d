"""Whether a line learnt from good runs keeps its promise, and what it saves."""
