"""What `modelwire.otel` is made of."""
