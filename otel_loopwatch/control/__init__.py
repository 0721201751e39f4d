"""What is to be done about a signal: the hook that decides, and what its decision means for the run."""
