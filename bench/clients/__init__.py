"""Clients of models as processes that are asked: ``python -m bench.clients.<name>``."""
