/** Which stages can be compared, and which two first. Pure. */
import type { StageTree } from "./schema";

/** A failed stage has no program, and none is made from it. */
export const comparable = ({ stages }: StageTree): StageTree => ({
  stages: stages.filter(({ state }) => state !== "failed"),
});

/** A stage after what it was made from, else before what was first made from it; undefined where it is alone. */
export function comparedFirst(tree: StageTree, id: string): string[] | undefined {
  const { stages } = comparable(tree);
  const record = stages.find((each) => each.id === id);
  const parent = stages.find((each) => each.id === record?.parent);
  if (parent) return [parent.id, id];
  const child = stages.find((each) => each.parent === id);
  return child && [id, child.id];
}
