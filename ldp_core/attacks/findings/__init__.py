"""What is made of an attempt: how close it came, what no attacker beats, and what may be said of it."""
