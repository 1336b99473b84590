// @vitest-environment happy-dom
/** A report with sliders: other sizes are tried in the picture, and what the program does not allow is refused. */
import { expect, test } from "vitest";
import { Picture } from "../../src/picture";
import { ReportView } from "../../src/reports/report";
import type { ShownReport } from "../../src/reports/reports";
import type { SymbolValues } from "../../src/snapshot";
import { NOTHING } from "../../src/ui/actions";
import { nodeNamed, settled, stage } from "../panels/stage";
import { sevenWide } from "../programs";
import { readCorpus } from "../snapshots";

const REPORT: ShownReport = {
  name: "shapes",
  headline: "2 of 3 dimensions may vary",
  sliders: [{ name: "s77", lower: 4, upper: 256, example: 8 }],
  sections: [
    {
      title: "Symbols",
      rows: [{ title: "s77", reason: "in the shapes of 9 nodes", query: "symbol:s77" }],
    },
    {
      title: "Dimensions of inputs",
      columns: [{ name: "kind" }, { name: "size", unit: "size" }],
      rows: [
        {
          title: "y",
          values: ["related", "2*s77 = 16"],
          formula: { expr: "2*s77", postfix: "2 s77 Mul:2" },
        },
        { title: "weight", values: ["static", 3] },
      ],
    },
    {
      title: "Conditions",
      rows: [
        {
          title: "s77 != 10",
          reason: "net.py:7",
          formula: { expr: "s77 != 10", postfix: "s77 10 Ne:2", is_condition: true },
        },
      ],
    },
    {
      title: "Sizes that follow",
      columns: [{ name: "now", unit: "size" }],
      rows: [
        { title: "2*s77", values: [16], formula: { expr: "2*s77", postfix: "2 s77 Mul:2" } },
        {
          title: "Eq(s77, 8)",
          values: ["true"],
          formula: { expr: "Eq(s77, 8)", postfix: "s77 8 Eq:2" },
        },
      ],
    },
  ],
};

async function shown() {
  const snapshot = await readCorpus("related_dims");
  const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
  const tried: (SymbolValues | undefined)[] = [];
  const on = stage();
  const whatIf: Parameters<typeof ReportView>[0]["whatIf"] = {
    values: picture.values,
    trySizes: (sizes, formulas) => {
      tried.push(sizes);
      picture.values.try(sizes, formulas);
      draw();
    },
  };
  const draw = (): void =>
    on.show(
      <ReportView
        {...{ snapshot, whatIf, actions: on.actions }}
        report={REPORT}
        selection={NOTHING}
        profile={undefined}
        overlay="kind"
        onOverlay={() => undefined}
      />,
    );
  draw();
  await settled();
  const enter = async (text: string): Promise<void> => {
    const field = on.find<HTMLInputElement>("input[type=number]", "");
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settled();
  };
  return { ...on, snapshot, picture, tried, enter };
}

test("a size is tried: the picture and the formulas of rows follow it, also those that follow from it", async () => {
  const on = await shown();
  const [x, y] = ["x", "y"].map((name) => nodeNamed(on.snapshot, name));
  const text = (node = 0): string => on.picture.words.subtitle(on.picture.itemOf(node));
  expect([text(x), text(y)]).toEqual(["f32[s77, 3]", "f32[2*s77, 3]"]);
  expect(on.text()).toContain("size 2*s77 = 16");
  await on.enter("12");
  expect(on.tried).toEqual([new Map([["s77", 12]])]);
  expect([text(x), text(y)]).toEqual(["f32[12, 3]", "f32[24, 3]"]);
  expect(on.text()).toContain("kind relatedsize 2*s77 = 24");
  expect(on.text()).toContain("now 24");
  expect(on.text()).toContain("now false");
  expect(on.text()).toContain("kind staticsize 3");
  expect(on.text()).toContain(`results of all ops`);
  on.find("button", "Reset").click();
  await settled();
  expect(text(x)).toBe("f32[s77, 3]");
  expect(on.text()).toContain("now 16");
});

test("a size that the program does not allow is refused with the condition and the line", async () => {
  const on = await shown();
  await on.enter("257");
  expect(on.find("[role=alert]", "").textContent).toBe(
    "s77 = 257 is not possible: the program requires s77 <= 256",
  );
  await on.enter("10");
  expect(on.find("[role=alert]", "").textContent).toBe(
    "s77 = 10 is not possible: the program requires s77 != 10 (net.py:7)",
  );
  expect(on.tried).toEqual([]);
});

test("a row finds all nodes that it is about", async () => {
  const on = await shown();
  on.find("button", "Find").click();
  expect(on.requests).toEqual(['search "symbol:s77"']);
});
