"""How a run or a sweep stands."""
