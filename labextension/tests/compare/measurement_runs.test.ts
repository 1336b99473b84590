import { describe, expect, it } from "vitest";
import { CostDiff, endsOf, gain } from "../../src/compare/costs/cost_diff";
import { apartness } from "../../src/compare/measurements";
import { MeasurementRuns } from "../../src/compare/measurements/measurement_runs";
import { ordersOf, sorted } from "../../src/compare/model/change_order";
import { asMeasured } from "../../src/compare/model/narrow";
import {
  amountText,
  apartText,
  cosineText,
  costText,
  ofText,
  ratioText,
  relativeText,
  restText,
  snrText,
} from "../../src/compare/values/number_text";
import { ValueDiff } from "../../src/compare/values/value_diff";
import { changes, costs, match, node, values } from "./sample";

describe("values", () => {
  const diverging = new ValueDiff(values);

  it("are found by match and by node of either side", () => {
    expect(diverging.of(match("addmm"))?.numbers.max_abs).toBe(2e-7);
    expect(diverging.at(0, node(0, "linear"))).toBe(diverging.at(1, node(1, "addmm")));
    expect(diverging.at(1, node(1, "permute"))).toBeUndefined();
    expect(diverging.first?.b).toBe(node(1, "relu"));
    expect(diverging.why(match("neg"))).toBe("no values of one shape");
  });

  it("are reported where they first diverge, on both sides, with the other origins", () => {
    expect(diverging.firsts(0, node(0, "relu"))).toEqual(["first to diverge"]);
    expect(diverging.firsts(1, node(1, "relu"))).toEqual(["first to diverge", "first NaN"]);
    expect(diverging.firsts(1, node(1, "sin"))).toEqual([]);
  });

  it("are reported at each origin, and uncompared matches by reason", () => {
    const rows = values.rows.map((row) => ({ ...row, origin: row.numbers.diverged === true }));
    const both = new ValueDiff({
      ...values,
      rows,
      uncompared: [
        ...(values.uncompared ?? []),
        { match: match("addmm"), reason: 1 },
        { match: 0, reason: 1 },
      ],
      reasons: ["no values of one shape", "one block"],
    });
    expect(both.origins.map((row) => row.b)).toEqual([node(1, "relu"), node(1, "sin")]);
    expect(both.firsts(1, node(1, "sin"))).toEqual(["diverges here"]);
    expect(both.firsts(0, node(0, "relu"))).toEqual(["first to diverge"]);
    expect(both.left).toEqual([
      ["one block", 2],
      ["no values of one shape", 1],
    ]);
    expect(diverging.others).toEqual([]);
  });

  it("have a cosine that is shown as 1 only if it is 1", () => {
    const texts = [1, 0.9998, 0.99998, -0.9998, 0.5, 1 - 3e-12, undefined].map(cosineText);
    expect(texts).toEqual(["1", "0.9998", "0.99998", "−0.9998", "0.5", "(1 − 3e-12)", "–"]);
  });

  it("are coloured by order of magnitude, and not if equal", () => {
    expect(apartness(0)).toBeUndefined();
    expect(apartness(1e-4)).toBeCloseTo(0.5);
    expect(apartness(Number.POSITIVE_INFINITY)).toBe(1);
  });

  it("have short texts", () => {
    expect(values.rows.map(({ numbers }) => apartText(numbers))).toEqual([
      "equal",
      "2e-7",
      "0.02",
      "NaN or Inf on one side",
    ]);
    expect(values.rows.map(({ numbers }) => snrText(numbers))).toEqual(["equal", "121 dB", "3.2 dB", "–"]);
    expect([0, 1234567, 12.3456, null].map(amountText)).toEqual(["0", "1.2e6", "12.3", "–"]);
  });

  it("are not a number if there was none to compare", () => {
    const lost = { elements: 4, max_abs: null, relative: null, unlike: 4, diverged: true };
    expect([apartText(lost), relativeText(lost), snrText(lost)]).toEqual([
      "NaN or Inf on one side",
      "–",
      "–",
    ]);
    expect(relativeText({ elements: 4 })).toBe("0");
    expect(relativeText({ elements: 4, max_abs: 1, relative: null, diverged: true })).toBe("–");
    expect(apartText({ elements: 0, diverged: true })).toBe("different");
  });

  it("are of the side with its title, or before or after", () => {
    expect([ofText(0, "core", "edge"), ofText(1, "core", "edge")]).toEqual(["of core", "of edge"]);
    expect([ofText(0, "edge", "edge"), ofText(1, "edge", "edge")]).toEqual(["before", "after"]);
  });
});

describe("costs", () => {
  it("are not negative outside nodes", () => {
    expect(restText(0.002)).toBe("2 ms");
    expect(restText(-0.0104)).toBe("none (alone the nodes take 10.4 ms more)");
  });

  const expense = new CostDiff(costs);

  it("are found by match and by module", () => {
    expect(expense.of(match("neg"))).toBeUndefined();
    expect(gain(expense.of(match("relu")) ?? { before: 0, after: 0 })).toBeCloseTo(-0.004);
    expect(expense.module(0)?.after).toBe(0.009);
    expect(expense.whole.ratio).toBe(2);
  });

  it("have scales that end with the largest change beyond noise in all visible pairs", () => {
    expect(expense.ends.op).toBeCloseTo(0.006);
    const [first, ...others] = costs.matches;
    if (!first) throw new Error("Something of the small programs took time.");
    const noisy = new CostDiff({ ...costs, matches: [{ ...first, noise: true }, ...others] });
    expect(noisy.ends.op).toBeCloseTo(0.004);
    expect(new CostDiff({ ...costs, modules: [] }).ends.module).toBeCloseTo(0.01);
    expect(endsOf([noisy, undefined, expense])).toEqual(expense.ends);
    expect(endsOf([])).toEqual({ op: 0, module: 0 });
  });

  it("are shown before and after, with new ones", () => {
    expect(costs.matches.map((each) => `${costText(each)} ${ratioText(each)}`)).toEqual([
      "2 ms → 8 ms ×4",
      "5 ms → 1 ms ×0.2",
      "0 s → 3 ms new",
    ]);
  });
});

describe("the list of changes", () => {
  const known = { values: new ValueDiff(values), costs: new CostDiff(costs) };
  const names = (order: Parameters<typeof sorted>[0]): string[] =>
    sorted(order, known, changes.list).map((each) => changes.ops(each, 1) || changes.ops(each, 0));

  it("is sorted by a measurement; unmeasured matches come last, in their order", () => {
    expect(names("program")).toEqual(["permute, addmm", "relu", "dropout", "clone"]);
    expect(names("slower")).toEqual(["permute, addmm", "clone", "relu", "dropout"]);
    expect(names("faster")).toEqual(["relu", "clone", "permute, addmm", "dropout"]);
    expect(names("ratio")).toEqual(["clone", "permute, addmm", "relu", "dropout"]);
    expect(names("apart")).toEqual(["relu", "permute, addmm", "dropout", "clone"]);
    expect(sorted("slower", known, [6, 4, 0])).toEqual([6, 4, 0]);
  });

  it("offers no order without measurements", () => {
    expect(ordersOf({ values: undefined, costs: undefined })).toEqual(["program"]);
    expect(ordersOf({ ...known, costs: undefined })).toEqual(["program", "apart"]);
  });
});

describe("measurements", () => {
  it("are refused if they do not fit the two programs", () => {
    expect(asMeasured({ values, costs }, changes)).toEqual({ values, costs });
    expect(() => asMeasured({ values: { ...values, schema: 99 } }, changes)).toThrow(
      /values are of schema 99/,
    );
    const rows = [{ ...values.rows[0], b: 999 }];
    expect(() => asMeasured({ values: { ...values, rows } }, changes)).toThrow(/compared values' b/);
    const matches = [{ match: -2, before: 0, after: 0 }];
    expect(() => asMeasured({ costs: { ...costs, matches } }, changes)).toThrow(/matches with a cost/);
  });

  it("arrive later, and runs report their progress and their end", async () => {
    let tell: ((progress: undefined) => void) | undefined;
    const requests: unknown[] = [];
    const measuring = new MeasurementRuns(changes, {
      known: async () => ({ costs }),
      values: async (tolerances) => {
        requests.push(tolerances, measuring.store.state.running);
        tell?.(undefined);
        return values;
      },
      subscribe: (listener) => {
        tell = listener;
        return () => {
          tell = undefined;
        };
      },
    });
    await Promise.resolve().then(() => undefined);
    await measuring.compareValues({ rtol: 0.5 });
    const { state } = measuring.store;
    expect(requests).toEqual([{ rtol: 0.5 }, "values"]);
    expect([state.running, state.problem]).toEqual([undefined, ""]);
    expect(state.values?.rows).toHaveLength(4);
    expect(state.costs?.record).toBe(costs);
    measuring.dispose();
    expect(tell).toBeUndefined();
  });

  it("show why a run failed", async () => {
    const measuring = new MeasurementRuns(changes, {
      known: async () => ({}),
      values: () => Promise.reject(new Error("Stopped. Nothing has changed.")),
    });
    await measuring.compareValues({});
    expect(measuring.store.state).toMatchObject({
      running: undefined,
      values: undefined,
      problem: "Stopped. Nothing has changed.",
    });
  });
});
