// @vitest-environment happy-dom
/** A partly delegated module has two boxes: each shows its own time, and where the rest is. */
import { expect, test, vi } from "vitest";
import { ModulePanel } from "../../src/panels/module";
import { Profile } from "../../src/profile";
import { missingModuleCost } from "../../src/profile/missing_cost";
import { ownerOf, placesOf } from "../../src/profile/module_places";
import { UNKNOWN } from "../../src/profile/schema";
import { ModuleCost } from "../../src/profile/view";
import { stage } from "../panels/stage";
import { delegatedProfile } from "./delegated";

const { emulated: profile } = delegatedProfile("cpu");
const { snapshot } = profile;
const scopeOf = (path: string): number => snapshot.scopes.findIndex((scope) => scope.path === path);

function shown(graph: number, path: string) {
  const place = stage();
  const { actions } = place;
  place.show(<ModuleCost {...{ profile, snapshot, actions, graph }} scope={scopeOf(path)} />);
  return place;
}

test("the box of a module shows the time of its content, with a link to the rest", () => {
  const inside = shown(1, "second");
  expect(inside.text()).toMatch(/time here.*50 µs.*emulated.*elsewhere.*20 µs.*in forward.*total.*70 µs/s);
  inside.find(".exirviz-link", "forward").click();
  expect(inside.requests).toEqual([`revealModule 0 ${scopeOf("second")}`]);
  expect(shown(0, "second").text()).toMatch(
    /time here.*20 µs.*elsewhere.*50 µs.*in lowered_0.*total.*70 µs/s,
  );
});

test("the box of a delegated part shows no state, which would be that of the other box", () => {
  const place = stage();
  const panel = (graph: number): string => {
    const selection = { kind: "module", graph, scope: scopeOf("second") } as const;
    place.show(<ModulePanel {...{ snapshot, selection }} actions={place.actions} />);
    return place.text();
  };
  expect(panel(1)).toContain("inside the XnnpackBackend delegate");
  expect(panel(1)).not.toContain("parameters");
  expect(panel(0)).toContain("parameters");
});

test("a module in one place has one time", () => {
  const { here, elsewhere } = placesOf(profile, scopeOf("first"), 1);
  expect([here.time, elsewhere]).toEqual([150_000, []]);
  expect(shown(1, "first").text()).not.toMatch(/here|elsewhere/);
});

test("the link leads to the box with most of its time", () => {
  expect([ownerOf(profile, scopeOf("second")), ownerOf(profile, scopeOf("first"))]).toEqual([1, 1]);
  expect(ownerOf(profile, scopeOf(""))).toBe(0);
});

test("the link leads to the module's box, also if its nodes have no time", () => {
  const { columns } = profile.record;
  const time = columns.nodes.map((name, i) => (name.endsWith("linear") ? UNKNOWN : (columns.time[i] ?? 0)));
  const untimed = new Profile({ ...profile.record, columns: { ...columns, time } }, snapshot);
  expect(ownerOf(untimed, scopeOf("first"))).toBe(1);
  expect(placesOf(untimed, scopeOf("first"), 0).elsewhere).toEqual([]);
});

test("the rows are read once, for any number of modules", () => {
  const { profile: fresh } = delegatedProfile("cpu");
  const read = vi.spyOn(fresh, "at");
  const ask = (): number => {
    for (const path of ["", "first", "second"]) {
      placesOf(fresh, scopeOf(path), 0);
      ownerOf(fresh, scopeOf(path));
    }
    return read.mock.calls.length;
  };
  expect(ask()).toBeLessThanOrEqual(fresh.count);
  expect(ask()).toBeLessThanOrEqual(fresh.count);
});

test("a module whose ops were timed with others says so, and not that none ran", () => {
  const { profile: run } = delegatedProfile("executorch");
  const place = stage();
  const { actions } = place;
  const text = (graph: number, path: string): string => {
    place.show(
      <ModuleCost {...{ profile: run, snapshot: run.snapshot, actions, graph }} scope={scopeOf(path)} />,
    );
    return place.text();
  };
  expect(text(1, "first")).toContain("Not timed separately: in lowered_0, which spans more");
  expect(text(0, "second")).toContain("1 op not timed separately");
  for (const path of ["first", "second", ""]) expect(text(1, path)).not.toMatch(/did not run|no op|0 s\b/);
  const other = new Profile({ ...run.record, method: "encode" }, run.snapshot);
  expect(missingModuleCost(other, scopeOf("first"), 1)).toBe("Not measured: the profile is of method encode");
  const columns = { ...profile.record.columns, calls: profile.record.columns.calls.map(() => 0) };
  const never = new Profile({ ...profile.record, columns }, snapshot);
  expect(missingModuleCost(never, scopeOf("first"), 1)).toBe("None: no op in it ran");
});
