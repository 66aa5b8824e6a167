"""Random faults, and what egtrace says of them."""
