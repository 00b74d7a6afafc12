"""What reads a streamed answer, each as a process of its own: ``python -m bench.subjects.<name> <wire>``."""
