"""What tests of agents and clients need."""
