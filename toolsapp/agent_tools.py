"""The built-in tools, where autodiscovery looks for them."""

from toolsapp.builtin import calculation, clock, system

__all__ = ["calculation", "clock", "system"]
