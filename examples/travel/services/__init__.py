"""The writes of the travel example."""
