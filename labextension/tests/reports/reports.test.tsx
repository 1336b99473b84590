// @vitest-environment happy-dom
/** The tab of reports: the list, one report with all that a report may have, filters, links and colours. */
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { makeOverlay } from "../../src/overlay";
import { ReportsPanel, seriesOfReport } from "../../src/reports";
import { cellText, filtered } from "../../src/reports/report";
import { asReport, reportsOf } from "../../src/reports/reports";
import type { Report } from "../../src/reports/schema";
import { NONE, type ReportSource, Snapshot, savedReports } from "../../src/snapshot";
import { NOTHING } from "../../src/ui/actions";
import { settled, stage } from "../panels/stage";
import { delegatedProfile } from "../profile/delegated";

const { profile } = delegatedProfile("cpu");
const given = profile.snapshot;

const REPORT: Report = {
  name: "size",
  title: "Size",
  about: "What fills my file?",
  headline: "2 of 3 weights are stored twice",
  outcome: "warning",
  facts: [
    { label: "bytes", text: "12 KB" },
    { label: "duplicates", text: "2 weights", nodes: ["forward/x", "forward/gone"] },
  ],
  sections: [
    {
      title: "weights",
      note: "Shared ones count once.",
      columns: [{ name: "bytes", unit: "bytes" }, { name: "share", unit: "share" }, { name: "dtype" }],
      rows: [
        { title: "embedding", values: [8192, 0.6667, "float32"], nodes: ["forward/x"] },
        { title: "head", values: [4096, 0.3333, null] },
      ],
    },
    {
      title: "rules",
      rows: [
        {
          title: "cumsum stays on the CPU",
          name: "acme/cumsum",
          section: "Acme's rules, 3",
          url: "https://acme.test/rules#3",
          severity: "error",
          reason: "No backend takes it.\u202e",
          remedy: "Use a loop.",
          nodes: ["forward/cumsum", "forward/gone"],
          texts: ["its axis is 1", "it is not here"],
          places: ["net.py:12", ""],
        },
        { title: "a link to a script", severity: "note", section: "bad", url: "javascript:alert(1)" },
      ],
    },
  ],
  overlay: [
    { label: "once", nodes: ["forward/x"] },
    { label: "twice", nodes: ["forward/cumsum", "forward/gone"] },
  ],
  unexamined: ["Delegates: their payload is not readable."],
};
const FINE: Report = { name: "state", title: "State", headline: "no state is written" };

/** Answers after a while; `requested` has the names that were requested for. */
function source(reports: readonly Report[], milliseconds = 0) {
  const requested: string[] = [];
  const from: ReportSource = {
    list: async () => reports.map(({ name, title, about = "" }) => ({ name, title, about })),
    report: async (name) => {
      requested.push(name);
      await new Promise((done) => setTimeout(done, milliseconds));
      const found = reports.find((each) => each.name === name);
      if (found === FAILING) throw new Error("The kernel is gone.");
      return found;
    },
  };
  return { from, requested };
}
const FAILING: Report = { name: "broken", title: "Broken", headline: "" };

const withReports = (from?: ReportSource): Snapshot =>
  new Snapshot(given.skeleton, () => Promise.reject(new Error("none")), undefined, undefined, from);

function panel(from?: ReportSource, first = "", profiled = false) {
  const snapshot = withReports(from);
  const at = stage();
  const colored: string[] = [];
  let open = first;
  const draw = (): void =>
    at.show(
      <ReportsPanel
        snapshot={snapshot}
        actions={at.actions}
        selection={NOTHING}
        profile={profiled ? profile : undefined}
        open={open}
        onOpen={(name) => {
          open = name;
          draw();
        }}
        overlay={colored.at(-1) ?? "kind"}
        onOverlay={(name) => {
          colored.push(name);
          draw();
        }}
      />,
    );
  draw();
  return { ...at, snapshot, colored };
}
const numberOf = (id: string): number => given.find(id) ?? NONE;

describe("the list", () => {
  test("all reports are there at once, and their outcomes come one after the other", async () => {
    const { from, requested } = source([REPORT, FINE]);
    const at = panel(from);
    await settled();
    expect(requested).toEqual(["size", "state"]);
    expect(at.text()).toContain("2 of 3 weights are stored twice");
    expect(at.text()).toContain("no state is written");
    expect(reportsOf(at.snapshot)?.alarms).toBe(1);
  });

  test("one that cannot be loaded says why, harms no other, and is tried again", async () => {
    const { from, requested } = source([FAILING, FINE]);
    const at = panel(from, "broken");
    await settled();
    expect(at.text()).toContain("The kernel is gone.");
    expect(at.text()).toContain("no state is written");
    at.find("button", "Try again").click();
    await settled();
    expect(requested.filter((name) => name === "broken")).toHaveLength(2);
  });

  test("one that takes long says that it is being made", async () => {
    const { from } = source([FINE], 600);
    const at = panel(from, "state");
    await settled();
    expect(at.text()).not.toContain("Making the report…");
    await new Promise((done) => setTimeout(done, 400));
    await settled();
    expect(at.text()).toContain("Making the report…");
  });

  test("without anybody to ask it says how to make one", () => {
    expect(panel().text()).toContain("exir_viz.reports.run(name, program)");
  });

  test("a click opens one below, and another click closes it", async () => {
    const at = panel(source([FINE, REPORT]).from);
    await settled();
    const name = at.find("button", "Size");
    name.click();
    await settled();
    expect(name.getAttribute("aria-expanded")).toBe("true");
    expect(at.text()).toContain("What fills my file?");
    name.click();
    await settled();
    expect(at.root.querySelector("article")).toBeNull();
  });
});

describe("a report", () => {
  const shown = async (profiled = false) => {
    const at = panel(source([REPORT]).from, "size", profiled);
    await settled();
    return at;
  };

  test("says all that it has", async () => {
    const text = (await shown()).text();
    for (const part of [
      "What fills my file?",
      "bytes12 KB",
      "Not examined: Delegates: their payload is not readable.",
      "Shared ones count once.",
      "bytes 8 KBshare 66.7%dtype float32",
      "bytes 4 KBshare 33.3%dtype –",
      "acme/cumsum · Acme's rules, 3",
      "No backend takes it.\\u202e",
      "→ Use a loop.",
      "its axis is 1",
      "it is not here",
    ])
      expect(text).toContain(part);
  });

  test("facts and titles select their nodes, and a node's name reveals it", async () => {
    const at = await shown();
    at.find("button", "2 weights").click();
    at.find("button", "cumsum stays").click();
    at.find(".exirviz-children button", "cumsum").click();
    expect(at.requests.filter((each) => !each.startsWith("hover"))).toEqual([
      `select [${numberOf("forward/x")}]`,
      `select [${numberOf("forward/cumsum")}]`,
      `reveal ${numberOf("forward/cumsum")}`,
    ]);
  });

  test("only links to the web are links", async () => {
    const at = await shown();
    expect([...at.root.querySelectorAll("a")].map((each) => each.href)).toEqual([
      "https://acme.test/rules#3",
    ]);
  });

  test("severities and text filter the rows", async () => {
    const at = await shown();
    at.find("button", "1 error").click();
    await settled();
    expect(at.text()).not.toContain("cumsum stays");
    expect(at.text()).toContain("a link to a script");
    const field = at.find<HTMLInputElement>("input", "Filter rows");
    field.value = "nothing like it";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settled();
    expect(at.text()).toContain("No row matches the filter.");
  });

  test("with a profile each row with nodes says its share of the run", async () => {
    expect((await shown(true)).text()).toMatch(/[\d.]+% of the run, [\d.]+ (ns|µs)/);
    expect((await shown()).text()).not.toContain("of the run");
  });

  test("its colours are chosen and left again", async () => {
    const at = await shown();
    at.find("button", "Color by size").click();
    await settled();
    at.find("button", "Color by size").click();
    expect(at.colored).toEqual(["report:size", "kind"]);
  });
});

test("a filter by a node's name keeps the nodes that match, with their texts", () => {
  const [, rules] = REPORT.sections ?? [];
  const row = {
    ...rules?.rows[0],
    title: "rule",
    nodes: [7, 8],
    texts: ["a", "b"],
    places: ["", "net.py:9"],
  };
  const name = (node: number): string => `forward/op_${node}`;
  const kept = (text: string) =>
    filtered([{ title: "rules", rows: [row] }], { hidden: new Set(), text, name })[0]?.rows[0];
  expect(kept("op_7")?.texts).toEqual(["a"]);
  expect(kept("NET.py")?.nodes).toEqual([8]);
  expect(kept("rule")?.nodes).toEqual([7, 8]);
  expect(kept("other")).toBeUndefined();
});

test("cells are written in their unit", () => {
  const cells = [
    cellText(1536, { name: "", unit: "bytes" }),
    cellText(0.5, { name: "", unit: "share" }),
    cellText(0.00125, { name: "", unit: "seconds" }),
    cellText(7.25, { name: "", unit: "decibels" }),
    cellText(12345, { name: "", unit: "count" }),
    cellText(null, { name: "" }),
  ];
  expect(cells).toEqual(["1.5 KB", "50.0%", "1.25 ms", "7.3 dB", "12,345", "–"]);
});

test("a report's colours are a series of categories with the report's title", async () => {
  const reports = reportsOf(withReports(source([REPORT]).from));
  await reports?.load("size");
  const [report] = reports?.loaded ?? [];
  const series = report && seriesOfReport(report);
  expect(series?.values).toEqual(
    new Map([
      [numberOf("forward/x"), 0],
      [numberOf("forward/cumsum"), 1],
    ]),
  );
  const nodes = [numberOf("forward/x"), numberOf("forward/cumsum")];
  const choice = { name: "report:size", scale: "linear" } as const;
  const overlay = makeOverlay(given, nodes, choice, series ? [series] : []);
  expect(overlay?.legend).toMatchObject({ title: "Size", swatches: [{ title: "once" }, { title: "twice" }] });
});

test("what is no report is refused, with the field that is wrong", () => {
  expect(asReport(FINE)).toBe(FINE);
  expect(() => asReport(undefined)).toThrow("It was not sent.");
  expect(() => asReport({ title: "Size" })).toThrow("headline");
  expect(() => asReport({ ...REPORT, sections: [{ title: "a", rows: [{ title: 3 }] }] })).toThrow("sections");
  const cell = (value: unknown) => ({
    ...FINE,
    sections: [{ title: "a", rows: [{ title: "b", values: [value] }] }],
  });
  expect(() => asReport(cell({}))).toThrow("sections");
  expect(asReport(cell(null))).toBeTruthy();
});

test("those of a file are unpacked when the first is requested for", async () => {
  const section = new Uint8Array(deflateSync(JSON.stringify([REPORT, FINE])));
  const from = savedReports(section);
  expect(await from?.list()).toHaveLength(2);
  expect(await from?.report("state")).toEqual(FINE);
  expect(savedReports(undefined)).toBeUndefined();
});
