"""The types for parsed answers, and functions that a model may call."""
