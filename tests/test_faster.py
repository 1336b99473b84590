"""What processes of tests do less often gives what torch and ExecuTorch give."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import hashlib, sys, torch, exir_viz
from executorch.backends.xnnpack.quantizer import xnnpack_quantizer
from tests.corpus.faster import lower_faster
if sys.argv[1] == "faster":
    lower_faster()
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Linear(6, 5))
x = torch.randn(2, 3, 8, 8)
root = exir_viz.Session(model, x).root
quantized = root.quantize([x, 2 * x])
for stage in (root.decompose(), root.edge(), quantized, quantized.backend()):
    print(hashlib.sha256(stage.snapshot.text().encode()).hexdigest())
print(hashlib.sha256(quantized.backend().executorch().pte).hexdigest())
"""


@pytest.mark.nightly
def test_programs_are_the_same() -> None:
    plain, faster = (
        subprocess.run([sys.executable, "-c", CODE, how], capture_output=True, text=True, check=True).stdout
        for how in ("plain", "faster")
    )
    assert len(plain.splitlines()) == 5
    assert faster == plain
