"""How an agent of each framework is run with its adapter in the way of the tools."""
