"""Bulk jobs: `modelwire.bulk`."""
