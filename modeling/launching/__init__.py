"""Requests, stops and resumes runs and sweeps."""
