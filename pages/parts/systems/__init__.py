"""What is said of a published system and of its settings wherever a draft is edited."""
