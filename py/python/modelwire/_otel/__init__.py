"""The implementation of `modelwire.otel`."""
