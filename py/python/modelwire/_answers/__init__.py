"""The parts of answers and errors other than their fields."""
