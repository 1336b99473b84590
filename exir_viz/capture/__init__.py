"""The three ways in: live programs, `.pt2` archives and `.pte` files, each to a Snapshot.

`live` and what it imports needs torch; the readers of files do not, and never execute what they read.
"""

# Interim until this package is renamed to `readers`: the public verb has the same name as the package.
import sys as _sys
import types as _types


class _Callable(_types.ModuleType):
    def __call__(self, *args, **options):  # type: ignore[no-untyped-def]
        from exir_viz.capture.live import capture

        return capture(*args, **options)


_sys.modules[__name__].__class__ = _Callable
