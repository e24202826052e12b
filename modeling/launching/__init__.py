"""Requests of runs and sweeps, and their stop and continuation."""
