/** Which stages can be compared, and which two first. Pure. */
import type { StageTree } from "./schema";

/** A failed stage has no program and no children. */
export const comparable = ({ stages }: StageTree): StageTree => ({
  stages: stages.filter(({ state }) => state !== "failed"),
});

/** A stage with its parent, else with its first child; undefined if it is the only one. */
export function comparedFirst(tree: StageTree, id: string): string[] | undefined {
  const { stages } = comparable(tree);
  const record = stages.find((each) => each.id === id);
  const parent = stages.find((each) => each.id === record?.parent);
  if (parent) return [parent.id, id];
  const child = stages.find((each) => each.parent === id);
  return child && [id, child.id];
}
