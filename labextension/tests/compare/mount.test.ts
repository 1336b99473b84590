// @vitest-environment happy-dom
/** A comparison that is mounted before its element is in the page, as in JupyterLab. */
import { expect, test, vi } from "vitest";
import { mountCompare } from "../../src/hosts/compare";
import { comparisonOf, programs } from "./compared";

function given() {
  const snapshots = programs();
  return { snapshots, between: [{ comparison: comparisonOf(snapshots), text: async () => [] }] };
}

const isDark = (host: HTMLElement): boolean | undefined =>
  host.firstElementChild?.classList.contains("is-dark");

/** All pending reads are done. */
const read = () => new Promise((done) => setTimeout(done, 20));

test("the theme is read when the element is in its page, and nothing is drawn before", async () => {
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

test("closing it before it is in a page rejects `ready", async () => {
  const { ready, dispose } = mountCompare(document.createElement("div"), given());
  await read();
  dispose();
  await expect(ready).rejects.toThrow("closed before");
});

test("two in one page have no ids in common, although each has its own copy of the program", async () => {
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
