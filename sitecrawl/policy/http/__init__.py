"""How servers are asked, and what their answers mean."""
