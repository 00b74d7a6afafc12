"""Whole turns against a real model on this machine."""
