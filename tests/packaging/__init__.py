"""The wheel, the sdist and the hook that builds the front end into both."""
