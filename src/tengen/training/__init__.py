"""Training: the settings of a run, and the loop that plays, learns and keeps."""
