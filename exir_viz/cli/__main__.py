"""`python -m exir_viz.cli`: the command, if its script is not on the path."""

import sys

from . import main

sys.exit(main())
