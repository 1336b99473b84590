"""A custom op, `exir_test::gate`, and a library with a wrong kernel of it for ExecuTorch's runtime."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import torch

_SOURCE = """
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
using namespace executorch::runtime;
static void gate(KernelRuntimeContext&, Span<EValue*> stack) {
  auto x = stack[0]->toTensor();
  auto out = stack[1]->toTensor();
  for (ssize_t i = 0; i < x.numel(); ++i)
    out.mutable_data_ptr<float>()[i] = x.const_data_ptr<float>()[i] * 1.25f;
}
static Kernel kernels[] = {Kernel("exir_test::gate.out", gate)};
static auto registered = register_kernels({kernels, kernels + 1});
"""


def can_compile() -> bool:
    """Whether there is a C++ compiler."""
    return shutil.which("g++") is not None


@functools.cache
def gate() -> None:
    """Define the op in torch, where it copies; in the library its result is too large by a quarter."""
    import executorch
    from executorch.extension.pybindings import portable_lib

    library = torch.library.Library("exir_test", "DEF")
    library.define("gate(Tensor x) -> Tensor")
    library.define("gate.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
    torch.library.impl("exir_test::gate", "CompositeExplicitAutograd")(lambda x: x * 1.0)
    torch.library.impl("exir_test::gate.out", "CompositeExplicitAutograd")(lambda x, *, out: out.copy_(x))
    torch.library.register_fake("exir_test::gate")(torch.empty_like)
    _KEPT.append(library)
    package = Path(next(iter(executorch.__path__)))
    include = package / "include"
    folder = Path(tempfile.mkdtemp(prefix="exir_viz-kernel-"))
    (folder / "gate.cpp").write_text(_SOURCE)
    built = folder / "gate.so"
    # The library with the runtime's registry of kernels: of ExecuTorch 1.4 the bindings, of 1.5 its own.
    found = [
        *Path(portable_lib.__file__).parent.glob("_portable_lib*.so"),
        *(package / "lib").glob("libexecutorch.so"),
    ]
    native = found[0]
    subprocess.run(
        [
            *("g++", "-std=c++17", "-shared", "-fPIC", "-O0", "-DC10_USING_CUSTOM_GENERATED_MACROS"),
            *(f"-I{include}", f"-I{include}/executorch/runtime/core/portable_type/c10"),
            *(str(folder / "gate.cpp"), str(native), f"-Wl,-rpath,{native.parent}", "-o", str(built)),
        ],
        check=True,
    )
    torch.ops.load_library(str(built))


_KEPT: list[torch.library.Library] = []
