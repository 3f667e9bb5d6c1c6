"""The page in the browser: play and watch. It translates and decides nothing."""

PORT = 8361
"""Where the page is found, unless told otherwise."""
