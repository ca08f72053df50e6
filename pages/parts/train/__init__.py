"""What the Train page is made of: choices, launch, the live panels, what was found, the ledger."""
