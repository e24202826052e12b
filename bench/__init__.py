"""`make bench`: speed and memory, measured and printed with the machine's name; never asserted in tests."""
