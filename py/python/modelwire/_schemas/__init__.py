"""What answers are parsed into, and functions that a model may call."""
