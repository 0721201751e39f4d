"""One small adapter per agent framework: it puts a gate into the way of the tools. Imported only when used."""
