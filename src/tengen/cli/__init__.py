"""The command line. It translates: everything that decides lies below."""
