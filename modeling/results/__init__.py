"""What runs predicted and scored."""
