"""A guard around the tool calls of an agent: what may run is decided before it runs."""
