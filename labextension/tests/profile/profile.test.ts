/** Rollups, boxes, overlays and memory: parts add up, and unknown numbers stay unknown. */
import { describe, expect, test } from "vitest";
import { Explorer } from "../../src/explorer";
import { Picture } from "../../src/picture";
import {
  across,
  asProfile,
  Boxes,
  badgeOf,
  costOverlay,
  differences,
  hotPath,
  MEASURES,
  nextHottest,
  Profile,
  peak,
  rollup,
  signText,
  timeline,
  UnreadableProfile,
} from "../../src/profile";
import { within } from "../../src/profile/nested_cost";
import { restOf } from "../../src/profile/overhead";
import { UNKNOWN } from "../../src/profile/schema";
import { byteText, shareText, timeText } from "../../src/snapshot";
import { branching, sevenWide, snapshotOf, stack } from "../programs";
import { snapshotAt } from "../stages/staged";
import { delegatedProfile } from "./delegated";
import { profileOf, recordOf } from "./records";

const screen = { width: 900, height: 700 };

describe("rollups", () => {
  const snapshot = snapshotOf(stack(4));
  const profile = profileOf(snapshot, { linear_2: 900 });

  test.each(["node", "op", "module"] as const)("by %s add up to the whole, including overhead", (by) => {
    const shares = rollup(profile, by);
    expect(shares.reduce((sum, { time = 0 }) => sum + time, 0)).toBe(profile.whole);
    expect(shares.at(-1)?.cumulative).toBeCloseTo(1);
    expect(shares.filter(({ isOverhead }) => isOverhead).map(({ time }) => time)).toEqual([500]);
    const times = shares.map(({ time = 0 }) => time);
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });

  test("a module's total includes its submodules, and the hot path leads to the hottest node", () => {
    const of = new Map(rollup(profile, "module").map((share) => [share.key, share]));
    const layers = [0, 1, 2, 3].map((i) => of.get(`model.layers.${i}`)?.total ?? 0);
    const outer = hotPath(profile).map(({ key }) => key);
    expect(outer.at(-1)).toMatch(/^model\.layers\.2/);
    expect(of.get("model")?.total).toBe(
      layers.reduce((sum, each) => sum + each, 0) + (of.get("model")?.time ?? 0),
    );
  });

  test("keys start at the hottest, and wrap around", () => {
    const hottest = snapshot.find("linear_2");
    expect(nextHottest(profile, undefined, 1)).toBe(hottest);
    const second = nextHottest(profile, hottest, 1);
    expect(nextHottest(profile, second, -1)).toBe(hottest);
    expect(nextHottest(profile, nextHottest(profile, hottest, -1), 1)).toBe(hottest);
  });

  test("a node that did not run is in no list", () => {
    const record = recordOf(snapshot);
    const calls = record.columns.calls.map((_, row) => (row === 2 ? 0 : 1));
    const time = record.columns.time.map((each, row) => (row === 2 ? -1 : each));
    const left = new Profile({ ...record, columns: { ...record.columns, calls, time } }, snapshot);
    const node = left.nodes[2] ?? -1;
    for (const by of ["node", "op", "module"] as const)
      expect(rollup(left, by).some(({ nodes }) => nodes.includes(node))).toBe(false);
    let at = nextHottest(left, undefined, 1);
    for (let step = 0; step < left.count; step++) {
      expect(at).not.toBe(node);
      at = nextHottest(left, at, 1);
    }
  });

  test("a node of another program is skipped", () => {
    const record = recordOf(snapshot);
    const columns = {
      ...record.columns,
      nodes: record.columns.nodes.map((name, i) => (i ? name : "forward/gone")),
    };
    const other = new Profile({ ...record, columns }, snapshot);
    expect(other.nodes[0]).toBe(-1);
    expect(rollup(other, "node").some(({ key }) => key === "forward/gone")).toBe(false);
  });
});

describe("boxes", () => {
  test("all boxes of the picture together contain the time of all nodes", () => {
    for (const graphs of [[stack(4)], branching()]) {
      const { picture } = new Explorer(snapshotOf(...graphs), sevenWide, screen);
      const profile = profileOf(picture.snapshot);
      const boxes = new Boxes(profile, picture, "time", "sum");
      let sum = 0;
      for (let item = 0; item < picture.count; item++) {
        if (picture.parentOf(item) === -1) sum += boxes.total[item] || 0;
      }
      expect(sum).toBe(profile.whole - profile.overhead);
    }
  });

  test("a run of identical modules shows their sum", async () => {
    const explorer = new Explorer(snapshotOf(stack(6)), sevenWide, screen);
    const slotOfRun = (): number => explorer.state.scene.members.findIndex((members) => members > 1);
    for (let depth = 0; depth < 4 && slotOfRun() < 0; depth++) await explorer.openTo(depth);
    const { scene } = explorer.state;
    const slot = slotOfRun();
    const profile = profileOf(explorer.snapshot);
    const boxes = new Boxes(profile, explorer.picture, "time", "sum");
    const equal = explorer.picture.equalSiblings(scene.item[slot] ?? -1);
    const from = equal.indexOf(scene.item[slot] ?? -1);
    const siblings = equal.slice(from, from + (scene.members[slot] ?? 0));
    const sum = siblings.reduce((all, item) => all + (boxes.total[item] ?? 0), 0);
    expect(siblings.length).toBeGreaterThan(1);
    expect(boxes.at(scene, slot, "total")).toBe(sum);
    const badge = (painted: string) => badgeOf(profile, explorer.picture, scene, painted)(slot)?.[0];
    expect(badge("kind")).toBe(`${timeText(sum)} · ${shareText(sum / profile.whole)}`);
    expect(badge("cost:time")).toBe(badge("kind"));
    const moved = new Boxes(profile, explorer.picture, "bytes_moved", "sum").at(scene, slot, "total");
    expect(badge("cost:moved")).toBe(byteText(moved));
  });
});

describe("overlays", () => {
  const explorer = new Explorer(snapshotOf(stack(4)), sevenWide, screen);
  const profile = profileOf(explorer.snapshot, { linear_2: 900 });
  const overlay = (name: string) =>
    costOverlay(profile, explorer.picture, explorer.state.scene, { name, scale: "linear" });

  test.each(MEASURES.map(({ name }) => name))("%s has a legend, and colours only known numbers", (name) => {
    const made = overlay(name);
    const nodes = Array.from({ length: explorer.snapshot.nodeCount }, (_, node) => node);
    const hasNumbers = name !== "cost:flops";
    expect(made?.legend.type).toBe(hasNumbers ? "numbers" : "categories");
    expect(nodes.some((node) => made?.color(node) !== undefined)).toBe(hasNumbers);
  });

  test("the hottest node has the strongest colour, and shows how it was measured", () => {
    const made = overlay("cost:time");
    const hottest = explorer.snapshot.find("linear_2") ?? -1;
    const other = explorer.snapshot.find("linear_1") ?? -1;
    expect(made?.color(hottest)?.part).toBeGreaterThan(made?.color(other)?.part ?? 1);
    expect(made?.text(hottest)).toMatch(/^900 µs · [\d.]+% of the run; median 900 µs, half of 9 runs from/);
  });

  test("a module's heat is the same whatever is open", async () => {
    const { picture } = explorer;
    const heat = () => {
      const { scene } = explorer.state;
      const made = costOverlay(profile, picture, scene, { name: "cost:time", scale: "log" });
      const rows = made?.legend.type === "numbers" ? made.legend.rows?.ticks : undefined;
      return { scene, made, rows };
    };
    await explorer.openTo(0);
    const closed = heat();
    await explorer.openTo(2);
    const open = heat();
    expect(open.scene).not.toBe(closed.scene);
    expect(open.rows).toEqual(closed.rows);
    const scaled = profileOf(explorer.snapshot, { linear_2: 900 });
    const most = Math.max(...new Boxes(scaled, picture, "time", "sum").groups("total").map((x) => x ?? 0));
    expect(open.rows?.at(-1)).toBe(timeText(most));
  });

  test("estimated numbers are marked", () => {
    const record = recordOf(explorer.snapshot);
    const basis = record.columns.basis.map(() => 2);
    const estimated = new Profile({ ...record, columns: { ...record.columns, basis } }, explorer.snapshot);
    const made = costOverlay(estimated, explorer.picture, explorer.state.scene, {
      name: "cost:time",
      scale: "log",
    });
    expect(made?.text(explorer.snapshot.find("linear_2") ?? -1)).toContain("estimated");
    const badge = badgeOf(estimated, explorer.picture, explorer.state.scene, "kind");
    const group = explorer.state.scene.kind.findIndex((kind) => kind !== 0);
    const [long, short, least] = badge(group) ?? [];
    expect(long).toMatch(/%.*· estimated$/);
    expect([`${short} · estimated`, `${least} ·${short?.split("·")[1]}`]).toEqual([`≈ ${long}`, short]);
    expect(signText(estimated, "kind")).toBe("≈ estimated");
    expect([signText(estimated, "cost:live"), signText(profile, "kind")]).toEqual([undefined, undefined]);
    expect(made?.boxText?.(group)).toMatch(/of the run, estimated$/);
  });

  test("another choice is not a profile's", () => {
    expect(overlay("dtype")).toBeUndefined();
  });
});

describe("memory", () => {
  const profile = profileOf(snapshotOf(stack(40)));

  test("a narrow drawing keeps the peak", () => {
    const narrow = timeline(profile, 7);
    expect(narrow.length).toBeLessThanOrEqual(7);
    expect(Math.max(...narrow.map(({ bytes }) => bytes))).toBe(peak(profile)?.bytes);
    expect(timeline(profile, 1000).length).toBe(profile.count);
  });
});

describe("stages", () => {
  const snapshot = snapshotOf(stack(3));
  const [one, other] = [profileOf(snapshot), profileOf(snapshot, { linear_0: 50 })];

  test("modules side by side, with the ratio to the first", () => {
    const lines = across([one, other]);
    const times = lines.map(({ cells }) => cells[0]?.time ?? 0);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    for (const { cells } of lines) {
      expect(cells[0]?.ratio).toBeUndefined();
      expect(cells[1]?.ratio).toBeCloseTo((cells[1]?.time ?? 0) / (cells[0]?.time || 1));
    }
  });

  test("conditions that make them hard to compare are listed", () => {
    expect(differences(one.conditions, other.conditions)).toEqual([]);
    expect(differences(one.conditions, { ...other.conditions, threads: 4 })).toEqual([
      "the number of threads differs: 1 vs. 4",
    ]);
    const elsewhere = {
      executor: "etdump",
      threads: 0,
      repeats: 4,
      warmup: -1,
      inputs_from: "unknown",
    } as const;
    expect(differences(one.conditions, elsewhere)).toEqual([
      "the executor differs: cpu vs. etdump, so there is no ratio",
      "it is unknown whether these are the same: the number of threads, the inputs, torch, ExecuTorch, the CPU",
    ]);
    const busy: readonly [number, number] = [1, 6.2];
    expect(differences(one.conditions, { ...other.conditions, load: busy })).toEqual([
      "the machine was busy: load up to 3.1 per core",
    ]);
  });

  test("only a difference beyond noise counts", () => {
    const cellOf = (changes: Readonly<Record<string, number>>, n = 9) => {
      const record = recordOf(snapshot, { linear_0: 50 });
      const at = record.columns.nodes.findIndex((name) => name.endsWith("/linear_0"));
      const columns = { ...record.columns, n: record.columns.n.map(() => n) };
      for (const [column, value] of Object.entries(changes)) {
        const changed = (record.columns[column as "time"] ?? []).map((old, row) =>
          row === at ? value * 1000 : old,
        );
        Object.assign(columns, { [column]: changed });
      }
      const line = across([other, new Profile({ ...record, columns }, snapshot)]).find(({ key }) =>
        key.endsWith("layers.0"),
      );
      return line?.cells[1];
    };
    expect(cellOf({ time: 500, p25: 450, p75: 550 })).toMatchObject({ isApart: true });
    const busy = new Profile(
      { ...one.record, conditions: { ...one.conditions, load: [6, 6] } },
      one.snapshot,
    );
    expect(across([busy, other]).some(({ cells }) => cells.some((cell) => cell?.isApart))).toBe(false);
    expect(across([one, other]).some(({ cells }) => cells.some((cell) => cell?.isApart))).toBe(true);
    // half of its runs took no longer than the other's
    expect(cellOf({ time: 500, p25: 10, p75: 550 })).toMatchObject({ isApart: false });
    // quartiles of three runs mean nothing, and a tenth is noise between two measurements
    expect(cellOf({ time: 500, p25: 450, p75: 550 }, 3)).toMatchObject({ isApart: false });
    expect(cellOf({ time: 53, p25: 53, p75: 53 })).toMatchObject({ isApart: false });
  });

  test("a delegate that was timed as one leaves its modules without a ratio", () => {
    const run = delegatedProfile("executorch");
    const lines = new Map(across([run.emulated, run.profile]).map(({ key, cells }) => [key, cells]));
    expect(lines.get("first")?.[1]).toMatchObject({
      time: undefined,
      ratio: undefined,
      mixed: "in lowered_0, which spans more",
    });
    expect(lines.get("second")?.[1]?.mixed).toBe("in lowered_0, which spans more; 1 op not timed separately");
    expect(lines.get("(root)")?.[1]).toMatchObject({ time: 40_000, ratio: undefined });
    expect(lines.get("first")?.[0]).toMatchObject({ bases: ["emulated"], mixed: "" });
    expect(restOf(run.profile)).toMatchObject({ name: "the rest", of: "delegate" });
    expect(restOf(run.profile).holds).toContain("1 op not timed separately (cumsum)");
    expect(restOf(run.emulated).holds).toContain("dispatch");
  });

  test("a node that names no module counts in its inferred module", () => {
    const nodes = [
      { name: "x", op: "placeholder" as const },
      { name: "split", inputs: ["x"], module: "first" },
      { name: "getitem", target: "getitem", inputs: ["split"], inferred: "first" },
      { name: "output", op: "output" as const, inputs: ["getitem"] },
    ];
    const shares = rollup(profileOf(snapshotOf({ name: "forward", nodes })), "module");
    expect(shares.map(({ key }) => key)).not.toContain("(none)");
    expect(shares.find(({ key }) => key === "first")?.nodes).toHaveLength(2);
  });

  test("a closed delegate shows its own time, the time inside it, and that it is emulated", () => {
    const { emulated } = delegatedProfile("cpu");
    const { picture, state } = new Explorer(emulated.snapshot, sevenWide, screen);
    const call = emulated.snapshot.find("executorch_call_delegate") ?? -1;
    expect(within(emulated, call)).toEqual({ time: 240_000, bases: ["emulated"] });
    const made = costOverlay(emulated, picture, state.scene, { name: "cost:time", scale: "log" });
    expect(made?.text(call)).toMatch(
      /^own 40 µs · 15.4% of the run, within 240 µs · 92.1%, emulated; median 40 µs/,
    );
  });

  test("an op of a delegate that was timed as one shows the time of the delegate", () => {
    const { profile } = delegatedProfile("executorch");
    const { picture, state } = new Explorer(profile.snapshot, sevenWide, screen);
    const made = costOverlay(profile, picture, state.scene, { name: "cost:time", scale: "log" });
    expect(made?.text(profile.snapshot.find("linear") ?? -1)).toMatch(/^lowered_0: 40 µs/);
  });

  test.each([true, false])("groups hold the times of delegates (by delegate: %s)", async (isByDelegate) => {
    const snapshot = await snapshotAt("qwen2", "xnnpack");
    const calls = snapshot.graphs.flatMap((graph) =>
      graph.columns.delegate ? [snapshot.holderOf(graph) ?? -1] : [],
    );
    const record = recordOf(snapshot);
    const names = new Set(calls.map((call) => snapshot.name(call)));
    const time = record.columns.time.map((each, row) =>
      names.has(record.columns.nodes[row]?.split("/").at(-1) ?? "") ? each : UNKNOWN,
    );
    const profile = new Profile({ ...record, columns: { ...record.columns, time } }, snapshot);
    const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide, isByDelegate);
    const boxes = new Boxes(profile, picture, "time", "sum");
    const outermost = Array.from(boxes.total).filter((_, item) => picture.parentOf(item) === -1);
    const sum = (values: readonly number[]): number => values.reduce((all, one) => all + (one || 0), 0);
    expect(sum(outermost)).toBe(sum(calls.map((call) => profile.of("time", call) ?? 0)));
    expect(sum(outermost)).toBeGreaterThan(0);
  });
});

describe("reading", () => {
  const record = recordOf(snapshotOf(stack(1)));

  test("a record is read as it is, and a contradictory one is refused", () => {
    expect(asProfile(record)).toBe(record);
    const { columns } = record;
    const wrong = [
      undefined,
      { ...record, schema: 99 },
      { ...record, columns: { ...columns, time: [] } },
      { ...record, columns: { ...columns, nodes: 7 } },
      { ...record, columns: { ...columns, basis: columns.basis.map(() => 9) } },
      { ...record, columns: { ...columns, flops: columns.flops.map(() => "<b>") } },
    ];
    for (const each of wrong) expect(() => asProfile(each)).toThrow(UnreadableProfile);
  });
});
