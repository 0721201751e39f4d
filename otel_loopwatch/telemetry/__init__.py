"""What Loopwatch writes: the catalogue of names, the span annotations and the metrics."""
