"""Pages and REST that show the state of runs and sweeps."""
