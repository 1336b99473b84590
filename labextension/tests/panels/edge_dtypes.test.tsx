// @vitest-environment happy-dom
/** The dtypes that the edge dialect allows, in the panel of a node. */
import { expect, test } from "vitest";
import { EdgeDtypes } from "../../src/panels/node/edge_dtypes";
import { PAGE_VERSION, Snapshot } from "../../src/snapshot";
import { asPageSkeleton } from "../../src/snapshot/narrow";
import { skeletonOf } from "../programs";
import { settled, stage } from "./stage";

const SKELETON = skeletonOf({
  name: "forward",
  nodes: [
    { name: "x", op: "placeholder", shape: [2] },
    { name: "relu", inputs: ["x"], shape: [2] },
    { name: "gelu", inputs: ["relu"], shape: [2] },
  ],
});

test("an edge op lists its dtypes, those allowed, and a refused combination", async () => {
  const targets = SKELETON.targets.map((target) =>
    target.name === "gelu"
      ? { ...target, text: "executorch.exir.dialects.edge._ops.aten.gelu.default" }
      : target,
  );
  const dtypes = [
    {
      nodes: [2],
      names: ["self", "result"],
      found: ["float32", "float32"],
      allowed: [
        ["float16", "float32"],
        ["float16", "float32"],
      ],
      refused: "aten.gelu.default with self int64, result float32",
      remedy: "Convert an argument.",
    },
  ];
  const made = (isAllowed: boolean): Snapshot =>
    new Snapshot(
      {
        ...SKELETON,
        targets,
        page: {
          version: PAGE_VERSION,
          dtypes: dtypes.map((each) => ({ ...each, is_allowed: isAllowed })),
        },
      },
      async () => ({ methods: [], graphs: [] }),
    );
  const on = stage();
  const show = async (node: number, isAllowed = true): Promise<void> => {
    on.show(<EdgeDtypes snapshot={made(isAllowed)} node={node} />);
    await settled();
  };
  await show(2);
  const rows = [...on.root.querySelectorAll("tbody tr")].map((row) => row.textContent);
  expect(rows).toEqual(["selff32f16 f32", "resultf32f16 f32"]);
  expect(on.text()).toContain(
    "Example of another combination, which is not allowed: aten.gelu.default with self int64, result float32",
  );
  expect(on.text()).not.toMatch(/Refused|Convert|here:/);
  await show(2, false);
  expect(on.text()).toContain(
    "Not allowed here: aten.gelu.default with self int64, result float32. Convert an argument.",
  );
  await show(1);
  expect(on.text()).toBe("");
});

test("dtypes of no node are refused", () => {
  const page = { version: PAGE_VERSION, dtypes: [{ nodes: [7], names: [], found: [], allowed: [] }] };
  expect(() => asPageSkeleton(SKELETON, page)).toThrow("contradicts itself");
});
