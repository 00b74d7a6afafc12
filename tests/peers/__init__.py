"""Our dialects against servers that nobody here wrote, which ``make peers`` and ``make local-llm`` install."""
