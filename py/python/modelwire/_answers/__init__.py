"""What answers and errors give beside their fields."""
