"""A site of the tests: an app with tools that take their time, and a short lease."""
