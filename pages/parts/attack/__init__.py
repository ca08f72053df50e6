"""Parts of the page Attack: settings of the attack grid, its view and its sentences."""
