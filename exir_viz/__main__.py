"""`python -m exir_viz`: the command `exir-viz`."""

import sys

from exir_viz.cli import main

sys.exit(main())
