"""What may break while tokens are redeemed, a scenario a module; CASES of each says how much of it is played."""
