"""What only the Attack page has: the attack grid's settings, its view and its words."""
