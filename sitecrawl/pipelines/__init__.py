"""What happens to each document before it is written."""
