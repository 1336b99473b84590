/**
 * The stages of the session in the bar: those in a column are filled; a click adds or removes one. Changes
 * are those between neighbouring columns, not between a stage and its parent.
 */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { dialectText } from "../../stages/stage_text";
import { Grid, Pill } from "../../stages/view";
import type { StageColumns } from "../columns/stage_columns";

export function StageChoice({ stageColumns }: { stageColumns: StageColumns }): JSX.Element {
  const { source } = stageColumns.stages;
  const [, draw] = useState(source.state);
  useEffect(() => source.subscribe(() => draw(source.state)), [source]);
  return (
    <nav class="exirviz-strip" aria-label="Stages in columns">
      <div class="exirviz-stages">
        <Grid
          tree={stageColumns.tree}
          pill={(record) => (
            <Pill
              record={record}
              isHere={stageColumns.has(record.id)}
              hint={hintOf(stageColumns, record.id)}
              below={dialectText(record) || "–"}
              onGo={() => stageColumns.toggle(record.id)}
            />
          )}
        />
      </div>
    </nav>
  );
}

function hintOf(stageColumns: StageColumns, id: string): string {
  if (!stageColumns.has(id)) return "press to show it as a column";
  return stageColumns.canRemove ? "press to remove its column" : "at least two columns are needed";
}
