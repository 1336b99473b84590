"""Checksums of state: the same weight has the same one live and in files, and another one where a bit is."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.export import ExportedProgram, export

import exir_viz
from exir_viz.readers import checksums, graphs, live
from exir_viz.readers.tensor_elements import Strided
from exir_viz.snapshot import Snapshot


class Lying(nn.Module):
    """Weights that lie in every way in which they can: whole, shared, transposed, in columns, repeated."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        together = torch.randn(24, 8)
        self.whole = nn.Parameter(torch.randn(8, 8))
        self.tied = self.whole
        self.q, self.k, self.v = (nn.Parameter(together[at : at + 8]) for at in (0, 8, 16))
        self.turned = nn.Parameter(torch.randn(8, 4, 2).permute(2, 0, 1))
        self.narrow = nn.Parameter(torch.randn(8, 8).bfloat16())
        self.register_buffer("columns", torch.randn(8, 16)[:, 4:12])
        self.register_buffer("repeated", torch.randn(8).expand(8, 8))
        self.register_buffer("number", torch.tensor(3.0))
        self.register_buffer("nothing", torch.zeros(0, 8))
        self.register_buffer("image", torch.randn(1, 2, 2, 2).to(memory_format=torch.channels_last))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x @ self.whole @ self.tied @ self.q @ self.k @ self.v @ self.columns @ self.repeated
        x = x * self.number + self.turned.sum() + self.narrow.float().sum() + self.image.sum()
        return x + self.nothing.sum() + torch.tensor([1.0, 2, 3, 4, 5, 6, 7, 8])


@pytest.mark.parametrize(
    ("shape", "stride", "offset", "size", "is_whole"),
    [
        ((4, 2), (2, 1), 0, 32, True),
        ((2, 4), (1, 2), 0, 32, True),
        ((4, 2), (2, 1), 1, 32, False),
        ((4, 2), (2, 1), 0, 36, False),
        ((4, 2), (4, 1), 0, 32, False),
    ],
)
def test_a_tensor_is_its_whole_storage(
    shape: tuple[int, ...], stride: tuple[int, ...], offset: int, size: int, is_whole: bool
) -> None:
    assert checksums.fills(Strided("float32", shape, stride, offset), 4, size) is is_whole


def lying() -> ExportedProgram:
    return export(Lying().eval(), (torch.randn(2, 8),))


def sums(snapshot: Snapshot) -> dict[str, int | None]:
    return {entry.name: entry.crc32 for entry in snapshot.method.state}


def test_a_file_and_a_live_program_agree(tmp_path: Path) -> None:
    program = lying()
    torch.export.save(program, tmp_path / "lying.pt2")
    found = sums(exir_viz.load(program))
    assert found == sums(exir_viz.load(tmp_path / "lying.pt2"))
    assert None not in found.values()
    for name, held in (*program.state_dict.items(), *program.constants.items()):
        if name != "repeated" and held.dim() < 3:  # in the order in which they lie, which these need not turn
            raw = held.detach().contiguous().view(-1).view(torch.uint8).numpy().tobytes()
            assert found[name] == zlib.crc32(raw), name


def test_weights_that_fill_their_storage_are_not_read(tmp_path: Path, monkeypatch) -> None:
    torch.export.save(export(nn.Linear(8, 8), (torch.randn(2, 8),)), tmp_path / "linear.pt2")
    monkeypatch.setattr("exir_viz.readers.archive.state.checksum", None)
    assert None not in sums(exir_viz.load(tmp_path / "linear.pt2")).values()


def test_one_other_element_has_another_checksum() -> None:
    before, program = sums(exir_viz.load(lying())), lying()
    with torch.no_grad():
        program.state_dict["columns"][7, 7] += 1
        program.state_dict["k"][0, 0] += 1
    after = sums(exir_viz.load(program))
    assert {name for name in before if before[name] != after[name]} == {"columns", "k"}


def test_what_lies_between_is_no_part_of_it() -> None:
    """Columns 0 and 1 of four: of the other two nothing is read."""
    lies = Strided("uint8", (2, 2), (4, 1), 0)
    assert (
        checksums.checksum(b"ab--cd--", lies, 1)
        == checksums.checksum(b"ab++cd", lies, 1)
        == zlib.crc32(b"abcd")
    )


@pytest.mark.parametrize(
    "lies",
    [
        Strided("uint8", (3, 3), (1, 1), 0),  # elements in one another's place
        Strided("uint8", (1 << 17,), (2,), 0),  # in too many pieces
        Strided("uint8", (9,), (1,), 0),  # beyond the data
    ],
)
def test_no_checksum_where_none_can_be_had(lies: Strided) -> None:
    assert checksums.checksum(bytes(8 if lies.shape == (9,) else 1 << 18), lies, 1) is None


def test_only_so_much_is_read_for_a_picture(monkeypatch) -> None:
    monkeypatch.setattr(graphs, "MAX_BYTES", 300)
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8)).eval()
    program = export(model, (torch.randn(2, 8),))
    snapshot = exir_viz.load(program)
    known = {name for name, crc32 in sums(snapshot).items() if crc32 is not None}
    assert known == {"0.weight", "0.bias"}
    (notice,) = (one for one in snapshot.notices if one.code == "checksums")
    assert notice.text.startswith("2 weights or delegates of 288 B have no checksum")
    assert None not in sums(live.capture(program, whole=True)).values()


def test_a_checksum_is_kept_in_a_saved_snapshot_and_an_old_one_has_none(tmp_path: Path) -> None:
    snapshot = exir_viz.load(lying())
    assert sums(exir_viz.load(snapshot.save(tmp_path / "new.exirviz"))) == sums(snapshot)
    old = exir_viz.load(Path(__file__).parents[1] / "snapshot" / "without_checksums.exirviz")
    assert set(sums(old).values()) == {None}
