// @vitest-environment happy-dom
/** A comparison that is mounted before its element stands in the page, as JupyterLab does it. */
import { expect, test, vi } from "vitest";
import { mountCompare } from "../../src/hosts/compare";
import { comparisonOf, programs } from "./compared";

function given() {
  const snapshots = programs();
  return { snapshots, between: [{ comparison: comparisonOf(snapshots), text: async () => [] }] };
}

const isDark = (host: HTMLElement): boolean | undefined =>
  host.firstElementChild?.classList.contains("is-dark");

/** Whatever was read has come. */
const read = () => new Promise((done) => setTimeout(done, 20));

test("the theme is asked once the element is in its page, and nothing is drawn before", async () => {
  const host = document.createElement("div");
  const { ready, dispose } = mountCompare(host, given());
  await read();
  expect(host.textContent).toContain("Reading the programs");
  expect(isDark(host)).toBe(false);
  const lab = document.body.appendChild(document.createElement("div"));
  lab.dataset["jpThemeLight"] = "false";
  lab.append(host);
  const columns = await ready;
  expect(isDark(host)).toBe(true);
  expect(host.querySelectorAll(".exirviz-pane").length).toBe(columns.explorers.length);
  dispose();
  lab.remove();
});

test("one that is closed before it is in a page says so to whoever waits", async () => {
  const { ready, dispose } = mountCompare(document.createElement("div"), given());
  await read();
  dispose();
  await expect(ready).rejects.toThrow("closed before");
});

test("no two in one page have an id in common, though each has a copy of the program for itself", async () => {
  const mounted = [];
  for (const _ of ["one", "another"]) {
    vi.resetModules();
    const copy = await import("../../src/hosts/compare");
    const host = document.body.appendChild(document.createElement("div"));
    mounted.push({ host, ...copy.mountCompare(host, given()) });
  }
  await Promise.all(mounted.map(({ ready }) => ready));
  const [one = [], another = []] = mounted.map(({ host }) =>
    [...host.querySelectorAll("[id]")].map(({ id }) => id),
  );
  expect(one.length).toBeGreaterThan(2);
  expect(one.filter((id) => another.includes(id))).toEqual([]);
  for (const { host, dispose } of mounted) {
    dispose();
    host.remove();
  }
});
