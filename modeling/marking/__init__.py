"""Marks of the phenomena in a sample of pairs: MPE, section 5.3."""
