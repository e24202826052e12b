"""Runs the training program for a worker: its files, its process, its reports."""
