"""The event loops that calls may wait in."""
