// @vitest-environment happy-dom
/** The panel's tab: what a click requests, a running and a failed measurement, and hostile text as text. */
import { expect, test, vi } from "vitest";
import { opening, Picture } from "../../src/picture";
import { costOverlay, FIRST_MEASURE, Profile, type ProfileAccess, rollup } from "../../src/profile";
import { missingCost } from "../../src/profile/missing_cost";
import { NO_COSTS } from "../../src/profile/profile_access";
import { UNKNOWN } from "../../src/profile/schema";
import { NodeCost, ProfilePanel } from "../../src/profile/view";
import { Hottest } from "../../src/profile/view/hottest";
import { PAGE_VERSION, type PageSkeleton, Snapshot, timeText } from "../../src/snapshot";
import { NOTHING } from "../../src/ui/actions";
import { eventually } from "../eventually";
import { stage } from "../panels/stage";
import { branching, sevenWide, snapshotOf, stack } from "../programs";
import { delegatedProfile } from "./delegated";
import { profileOf, recordOf } from "./records";

const snapshot = snapshotOf(stack(3));
const profile = profileOf(snapshot, { linear_1: 900 });

function shown(costs: Partial<ProfileAccess>) {
  const place = stage();
  const { actions } = place;
  place.show(
    <ProfilePanel
      {...{ snapshot, actions }}
      detail={{ state: "busy" }}
      selection={NOTHING}
      costs={{ ...NO_COSTS, ...costs }}
    />,
  );
  return place;
}

test("the hottest is first, and a click reveals it", () => {
  const place = shown({ profile });
  place.root.querySelector<HTMLElement>(".exirviz-hot-row")?.click();
  expect(place.requests).toEqual([`reveal ${snapshot.find("linear_1")}`]);
});

test("the number of a delegate is not cut from its row", () => {
  const { profile: run } = delegatedProfile("executorch");
  const { skeleton } = run.snapshot;
  const call = run.snapshot.graph(0).position("executorch_call_delegate") ?? -1;
  const delegate = { call, graph: 1, name: "XNNPACK 12", backend: "XNNPACK", number: 12 };
  const placements = [{ ...skeleton.page?.placements?.[0], delegates: [delegate] }];
  const module = "model.layers.0.self_attn";
  const row = { graph: 1, module, ops: 2 };
  const delegation = { ops: 3, delegated: 2, delegates: [row], cpu: [] };
  const page = { version: PAGE_VERSION, placements, delegation } as unknown as PageSkeleton["page"];
  const named = new Snapshot({ ...skeleton, page: page ?? { version: PAGE_VERSION } }, async () => {
    throw new Error("none");
  });
  const place = stage();
  const { actions } = place;
  const one = new Profile(run.record, named);
  place.show(<Hottest {...{ snapshot: named, actions, selection: NOTHING, profile: one }} />);
  const name = place.find(".exirviz-hot-row", "XNNPACK").querySelector(".exirviz-hot-name");
  expect(name?.textContent).toBe(`XNNPACK 12 · ${module}`);
  expect(name?.querySelector(".exirviz-hot-start")?.textContent).toBe("XNNPACK 12");
  expect(name?.getAttribute("title")).toBe(`XNNPACK 12 · ${module}`);
});

test("an untimed node is not 0", () => {
  const record = recordOf(snapshot);
  const time = record.columns.time.map((each, i) => (i === 0 ? UNKNOWN : each));
  const unknown = new Profile({ ...record, columns: { ...record.columns, time } }, snapshot);
  const name = record.columns.nodes[0]?.split("/").at(-1) ?? "";
  const place = shown({ profile: unknown });
  const row = place.find(".exirviz-hot-row", name);
  expect(row.querySelector(".exirviz-hot-time")?.textContent).toBe("–");
  expect(row.getAttribute("aria-label")).toContain("time unknown");
});

test("by op a click selects all of them, by module it opens the groups around it", async () => {
  const place = shown({ profile });
  place.find(".exirviz-switch button", "Op").click();
  await eventually(() => place.find(".exirviz-hot-row", "aten.linear").click());
  place.find(".exirviz-switch button", "Module").click();
  await eventually(() => place.find(".exirviz-hot-row", "model.layers.1").click());
  const { total = 0 } = rollup(profile, "module").find(({ key }) => key === "model.layers.1") ?? {};
  expect(place.find(".exirviz-hot-row", "model.layers.1").getAttribute("aria-label")).toMatch(
    new RegExp(`; ${timeText(total)} in total$`),
  );
  expect(place.requests.map((each) => each.split(" ")[0])).toEqual(["select", "revealModule"]);
});

test("without a profile it says how to get one, and starts with the chosen options", () => {
  expect(shown({}).text()).toContain("No profile yet");
  const start = vi.fn(async () => undefined);
  const place = shown({ measure: { start, dialect: "aten" } });
  place.find("button", "Profile").click();
  expect(start).toHaveBeenCalledWith({ executor: "cpu", threads: 1 });
});

test("the runtime is offered for lowered programs", () => {
  const measure = { start: async () => undefined };
  expect(shown({ measure: { ...measure, dialect: "aten.core" } }).text()).not.toContain("runtime");
  expect(shown({ measure: { ...measure, dialect: "edge" } }).text()).toContain(
    "ExecuTorch runtime, whole program",
  );
});

test("while a stage is measured it names the stage and starts no other; the one progress bar is above the picture", () => {
  const measure = { start: async () => undefined, dialect: "aten" };
  const place = shown({ measuring: "core", measure });
  expect(place.text()).toContain("Profiling core.");
  expect(place.root.querySelector(".exirviz-progress, button")).toBeNull();
});

test("measurements of a failed run are shown with the reason, as text", () => {
  const hostile = "<img src=x onerror=alert(1)>\u202e";
  const record = recordOf(snapshot);
  const failed = new Profile(
    { ...record, complete: false, remarks: [{ code: "failed", text: hostile }] },
    snapshot,
  );
  const place = shown({ profile: failed, problem: { text: `one\n${hostile}`, node: "" } });
  expect(place.text()).toContain("Incomplete");
  expect(place.root.querySelector("img")).toBeNull();
  expect(place.text()).toContain("\\u202e");
  expect(place.root.querySelector("[role=alert]")?.textContent).toMatch(/^one\n<img/);
});

test("one remark is visible, several are folded before the hottest", () => {
  const record = recordOf(snapshot);
  const noted = (count: number) => {
    const remarks = Array.from({ length: count }, (_, i) => ({ code: `${i}`, text: `Note ${i}.` }));
    return shown({ profile: new Profile({ ...record, remarks }, snapshot) }).root;
  };
  expect(noted(1).querySelector("details .exirviz-profile-remark")).toBeNull();
  expect(noted(1).querySelector(".exirviz-profile-remark")?.textContent).toBe("Note 0.");
  const folded = noted(4).querySelector("details:has(.exirviz-profile-remark)");
  expect(folded?.hasAttribute("open")).toBe(false);
  expect(folded?.querySelector("summary")?.textContent).toBe("4 notes on these numbers");
  expect(folded?.querySelectorAll(".exirviz-profile-remark").length).toBe(4);
});

test("unknown conditions are not shown", () => {
  const conditions = {
    executor: "etdump",
    threads: 0,
    repeats: 4,
    warmup: UNKNOWN,
    inputs_from: "unknown",
  } as const;
  const read = shown({ profile: new Profile({ ...recordOf(snapshot), conditions }, snapshot) }).text();
  expect(read).not.toMatch(/0 threads|0 cores|to warm up|none/);
  for (const term of ["threads", "inputs", "CPU", "load", "versions"]) {
    expect(read).toMatch(new RegExp(`${term}\\s*unknown`));
  }
});

test("which runs its time is the mean of", () => {
  const record = recordOf(snapshot);
  expect(shown({ profile: new Profile(record, snapshot) }).text()).toContain("Mean of the fastest half of");
  for (const code of ["paths", "varied"]) {
    const unlike = new Profile({ ...record, remarks: [{ code, text: "Why." }] }, snapshot);
    expect(shown({ profile: unlike }).text()).toContain("Mean of all");
  }
});

test("a fastest run that is longer than the mean has a reason", () => {
  const record = recordOf(snapshot);
  if (!record.whole) throw new Error("A record of whole runs has it.");
  const busy = { ...record, whole: { ...record.whole, min: 2 * record.whole.time } };
  expect(shown({ profile: new Profile(busy, snapshot) }).text()).toMatch(
    /fastest run .+ \(with interruptions by other programs, which the mean excludes\)\./,
  );
  expect(shown({ profile: new Profile(record, snapshot) }).text()).not.toContain("other programs");
});

test("a failed run shows what ran, and links to the node that did not", () => {
  const record = recordOf(snapshot);
  const { whole: _, overhead: __, ...cut } = record;
  const id = record.columns.nodes.at(-1) ?? "";
  const columns = {
    ...record.columns,
    n: record.columns.nodes.map((each) => (each === id ? 0 : 1)),
    live_bytes: record.columns.nodes.map(() => UNKNOWN),
  };
  const conditions = { ...record.conditions, repeats: 0 };
  const failed = new Profile({ ...cut, columns, conditions, complete: false }, snapshot);
  const place = shown({
    profile: failed,
    problem: { text: `The node ${id} (an/op.py) could not run:\n  at "/a/b.py"`, node: id },
  });
  place.find("[role=alert] .exirviz-link", id).click();
  expect(place.requests).toEqual([`reveal ${snapshot.find(id)}`]);
  expect(place.root.querySelectorAll("[role=alert] .exirviz-link")).toHaveLength(1);
  expect(place.text()).toContain(`in ${columns.n.length - 1} of ${columns.n.length} ops; no run completed`);
  expect(place.text()).not.toContain("overhead (");
  expect(shown({ profile }).text()).toMatch(/fastest run [^.]+\. Overhead: /);
  expect(place.text()).toContain("none completed");
  expect(place.text()).toContain("Not measured: stopped before");
});

test("a node without a cost says why: it computes nothing, or was not timed separately", () => {
  const place = stage();
  const shownFor = (one: Profile, node: string): string => {
    place.show(<NodeCost profile={one} node={one.snapshot.find(node) ?? -1} />);
    return place.text();
  };
  expect(shownFor(profile, "p_0")).toContain("None: computes nothing");
  const { profile: run } = delegatedProfile("executorch");
  const texts = run.snapshot.graphs.flatMap((graph) =>
    Array.from({ length: graph.count }, (_, i) => graph.base + i)
      .filter((node) => run.row(node) === undefined)
      .map((node) => [run.snapshot.name(node), missingCost(run, node)] as const),
  );
  expect(Object.fromEntries(texts)).toEqual({
    x: "None: computes nothing",
    held: "None: computes nothing",
    cumsum: "Not timed separately",
    output: "None: computes nothing",
    a: "None: computes nothing",
    linear: "Not timed separately: part of lowered_0",
    linear_1: "Not timed separately: part of lowered_0",
  });
  expect(shownFor(run, "cumsum")).toContain("Not timed separately");
});

test("an op of a delegate that did not run, has no time, or is of another method, says so", () => {
  const { profile: run } = delegatedProfile("executorch");
  const node = run.snapshot.graph(1).base + 1;
  const { columns } = run.record;
  const never = new Profile({ ...run.record, columns: { ...columns, calls: [0] } }, run.snapshot);
  expect(missingCost(never, node)).toBe("Not run: part of lowered_0, which did not run");
  const unknown = new Profile({ ...run.record, columns: { ...columns, time: [UNKNOWN] } }, run.snapshot);
  expect(missingCost(unknown, node)).toBe("Not timed: part of lowered_0, whose time is unknown");
  const other = new Profile({ ...run.record, method: "encode" }, run.snapshot);
  expect(missingCost(other, node)).toBe("Not measured: the profile is of method encode");
});

test("stages are side by side when all are loaded", async () => {
  const stages = [
    { id: "a", name: "exported", isShown: true },
    { id: "b", name: "core", isShown: false },
  ];
  const go = vi.fn();
  const place = shown({ profile, stages, go, profileOf: async () => profile });
  await eventually(() => expect(place.root.querySelectorAll("thead th")).toHaveLength(3));
  expect(place.text()).toContain("×1");
  place.find("thead button", "core").click();
  expect(go).toHaveBeenCalledWith("b");
});

test("conditions that make a stage hard to compare name the stage if there are several", async () => {
  const stages = ["exported", "core", "run"].map((name) => ({ id: name, name, isShown: name === "core" }));
  const record = recordOf(snapshot);
  const run = { ...record, conditions: { ...record.conditions, executor: "executorch" as const } };
  const other = new Profile(run, snapshot);
  const place = shown({ profile, stages, profileOf: async (id) => (id === "run" ? other : profile) });
  await eventually(() => expect(place.text()).toContain("run: the executor differs"));
  const two = shown({
    profile,
    stages: stages.slice(1),
    profileOf: async (id) => (id === "run" ? other : profile),
  });
  await eventually(() => expect(two.text()).toContain("the executor differs"));
  expect(two.text()).not.toContain("run: the executor");
});

test("a total without times of ops shows no number for ops, and none for what was not measured", () => {
  const record = recordOf(snapshot);
  const none = Object.fromEntries(Object.keys(record.columns).map((name) => [name, []]));
  const columns = none as unknown as typeof record.columns;
  const conditions = { ...record.conditions, executor: "executorch" as const, threads: 2 };
  const whole = record.whole;
  if (!whole) throw new Error("A record of whole runs has it.");
  const alone = new Profile({ ...record, columns, conditions, overhead: whole }, snapshot);
  const start = vi.fn(async () => undefined);
  const place = shown({ profile: alone, measure: { start, dialect: "edge" } });
  expect(place.text()).toContain("no op timed separately");
  expect(place.text()).toContain("Not measured by this executor");
  expect(place.text()).not.toMatch(/\b0 (B|in|delegates)\b/);
  expect(place.text()).not.toContain("next hottest op");
  place.find("button", "Profile").click();
  expect(start).toHaveBeenCalledWith({ executor: "executorch", threads: 2 });
  const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
  const { scene } = opening(picture, { width: 900, height: 700 });
  const legend = costOverlay(alone, picture, scene, { name: FIRST_MEASURE, scale: "linear" })?.legend;
  expect(legend).toMatchObject({ type: "categories", title: "time: unknown for all ops" });
});

test("the hot path ends with an op's time including its content, as in the picture and the Node tab", () => {
  const program = snapshotOf(...branching("model"));
  const place = stage();
  place.show(
    <ProfilePanel
      {...{ snapshot: program, actions: place.actions }}
      detail={{ state: "busy" }}
      selection={NOTHING}
      costs={{ ...NO_COSTS, profile: profileOf(program, { cond: 100, sin: 7, cos: 5 }) }}
    />,
  );
  const steps = Array.from(place.root.querySelectorAll(".exirviz-path li"), (step) => step.textContent);
  expect(steps.map((step) => step?.match(/[\d.]+ µs/)?.[0])).toEqual(["112 µs", "112 µs", "112 µs"]);
});

test("the whole model has no box and no link to one", async () => {
  const place = shown({ profile });
  const [whole, ...inner] = [...place.root.querySelectorAll(".exirviz-path li")].map((step) =>
    step.querySelector<HTMLElement>("button"),
  );
  expect(whole).toBeNull();
  inner[0]?.click();
  place.find(".exirviz-switch button", "Module").click();
  await eventually(() => expect(place.find(".exirviz-hot-row", "(root)").tagName).toBe("DIV"));
  expect(place.requests.map((each) => each.split(" ")[0])).toEqual(["revealModule"]);
  const own = snapshotOf({
    name: "forward",
    nodes: [
      { name: "x", op: "placeholder" },
      { name: "relu", inputs: ["x"], module: "inner" },
      { name: "add", inputs: ["relu"], module: "" },
      { name: "mul", inputs: ["add"], module: "" },
    ],
  });
  const other = shown({ profile: profileOf(own) });
  other.find(".exirviz-switch button", "Module").click();
  await eventually(() => other.find(".exirviz-hot-row", "(root)").click());
  expect(other.requests).toEqual([`select [${["add", "mul"].map((name) => own.find(name))}]`]);
});

test("times of an interrupted run are marked as those of first calls", () => {
  const { whole, overhead, ...record } = recordOf(snapshot);
  const cut = shown({ profile: new Profile({ ...record, complete: false }, snapshot) });
  expect(cut.text()).toContain("Times are from first calls, which take longer.");
  const late = shown({ profile: new Profile({ ...recordOf(snapshot), complete: false }, snapshot) });
  expect(late.text()).toContain("stopped before the last run.");
  expect(late.text()).not.toContain("first call");
});
