"""Run directories: files only."""
