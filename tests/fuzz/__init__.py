"""Fuzzers of the decoders: ``make fuzz SECONDS=3600``, and a minute of it in the suite."""
