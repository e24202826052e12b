"""Predictions and scores of runs."""
