/** The superimposed graph of both programs, in place of the side-by-side graphs. */
import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Above } from "../../canvas/look";
import type { Theme } from "../../canvas/theme";
import type { CanvasView } from "../../canvas/view";
import type { Explorer } from "../../explorer";
import { ExplorerContext } from "../../frame/context";
import type { Scene } from "../../layout";
import type { Measure } from "../../picture";
import { Empty } from "../../ui/states";
import { visible } from "../../ui/text";
import {
  measurementDot,
  measurementPaint,
  type Reading,
  Readings,
  readingWords,
  superimposedSubject,
  withReadings,
} from "../measurements";
import type { PairPaint } from "../model/state";
import { removedModules, superimposedSigns } from "../superimposed/change_signs";
import { readabilityOf } from "../superimposed/readability";
import { SuperimposedGraph } from "../superimposed/superimposed_graph";
import { changePaint, dotColor, signPrimitives } from "./change_signs";
import { useEnds, usePaint } from "./color_choice";
import { useColumns, useKnownOf, useMeasuring, usePair, usePairPart } from "./context";
import { takeFocus } from "./focus_keeping";
import { GraphCanvas } from "./graph_canvas";

/** What a superimposed graph is painted with. */
export interface SuperimposedPainter {
  readonly measure: Measure;
  readonly theme: Theme;
  readonly canvas: (explorer: Explorer) => CanvasView;
}

interface SuperimposedViewProps {
  readonly superimposedPainter: SuperimposedPainter;
  readonly mount: string;
  readonly takesWheel: boolean;
}

/** Drawn at once if little changed; if much did, on request. */
export function SuperimposedView(props: SuperimposedViewProps): JSX.Element {
  const columns = useColumns();
  const { changes, at } = usePair();
  const fitness = useMemo(() => readabilityOf(changes), [changes]);
  const [wanted, setWanted] = useState(-1);
  if (fitness.is === "fit" || (fitness.is === "much" && wanted === at)) return <Both key={at} {...props} />;
  return (
    <div class="exirviz-overlay">
      <Empty
        title={
          fitness.is === "much"
            ? "A superimposed graph would be hard to read"
            : "The two programs have too little in common"
        }
      >
        {fitness.is === "much"
          ? `${fitness.share}. Side by side is easier to read.`
          : `${fitness.share}, and most nodes have no counterpart. Side by side is easier to read.`}
      </Empty>
      <p class="exirviz-overlay-ways">
        <button type="button" class="exirviz-button" onClick={() => columns.see("pictures")}>
          Side by side
        </button>
        {fitness.is === "much" && (
          <button type="button" class="exirviz-button" onClick={() => setWanted(at)}>
            Show anyway
          </button>
        )}
      </p>
    </div>
  );
}

interface Drawn {
  readonly superimposed: SuperimposedGraph;
  readonly view: CanvasView;
}

function Both({ superimposedPainter, mount, takesWheel }: SuperimposedViewProps): JSX.Element {
  const columns = useColumns();
  const pair = usePair();
  const isSeen = usePairPart((state) => state.viewMode === "superimposed");
  const [drawn, setDrawn] = useState<Drawn>();
  useLayoutEffect(() => {
    const superimposed = new SuperimposedGraph(
      columns,
      pair,
      superimposedPainter.measure,
      columns.row.explorer(pair.at).viewportStore.state.screen,
    );
    const view = superimposedPainter.canvas(superimposed.explorer);
    const off = columns.store.subscribe(() => view.request());
    setDrawn({ superimposed, view });
    return () => {
      off();
      view.dispose();
      superimposed.dispose();
    };
  }, [columns, pair]);
  useEffect(() => {
    columns.superimposed = isSeen ? drawn?.superimposed : undefined;
    if (isSeen && drawn) takeFocus(drawn.view.canvas);
    return () => {
      columns.superimposed = undefined;
    };
  }, [columns, drawn, isSeen]);
  const paint = usePaint();
  const { values, costs } = useKnownOf(useMeasuring());
  const ends = useEnds();
  const readings = useMemo(
    () => drawn && new Readings(superimposedSubject(drawn.superimposed), values, costs, ends),
    [drawn, values, costs, ends],
  );
  useEffect(() => {
    if (drawn && readings) color(drawn, readings, paint, superimposedPainter.theme);
  }, [drawn, readings, paint, superimposedPainter.theme]);
  const words = (superimposed: SuperimposedGraph, item: number): string => {
    const isGroup = superimposed.explorer.picture.isGroup(item);
    const measured = readings ? readingWords(readings.of(item), isGroup) : "";
    return [superimposed.words(item), measured].filter(Boolean).join("; ");
  };
  const dot = useCallback(
    (item: number): string | undefined => {
      if (!drawn || !readings) return undefined;
      const { explorer, tally } = drawn.superimposed;
      if (paint === "changes") return dotColor(tally, explorer, item);
      return measurementDot(readings, item, explorer.picture.isGroup(item), paint, superimposedPainter.theme);
    },
    [drawn, readings, paint, superimposedPainter.theme],
  );
  const { a, b } = pair.changes.comparison;
  const title = `${visible(a)} and ${visible(b)}`;
  return (
    <section class="exirviz-overlay exirviz-pane" aria-label={title}>
      {drawn && (
        <ExplorerContext.Provider value={drawn.superimposed.explorer}>
          <GraphCanvas
            view={drawn.view}
            name={`${mount}-both`}
            title={title}
            takesWheel={takesWheel}
            says={(item) => words(drawn.superimposed, item)}
            dot={dot}
            onLead={() => columns.lead(columns.state.leader)}
            onHover={(slot) => drawn.superimposed.hover(slot)}
          />
        </ExplorerContext.Provider>
      )}
    </section>
  );
}

/** Whether there is no room for what a node was. */
const hasText = ({ firsts, troubles }: Reading): boolean => firsts.length + troubles.length > 0;

function color({ superimposed, view }: Drawn, readings: Readings, paint: PairPaint, theme: Theme): void {
  view.theme = theme;
  const scene = (): Scene => superimposed.explorer.state.scene;
  const changes = changePaint(() => superimposed.tally, theme, scene);
  view.boxPaint =
    paint === "changes"
      ? (slot) => (superimposed.removed(scene()).boxes.has(slot) ? undefined : changes(slot))
      : measurementPaint(readings, scene, paint, theme);
  view.removed = (scene) => superimposed.removed(scene);
  const signs: Above = (look, camera, screen) => {
    if (paint === "changes")
      return superimposedSigns(superimposed, (slot) => hasText(readings.at(slot)), look, camera, screen);
    const { under, over } = signPrimitives(undefined, superimposed.highlighted(), look, camera, screen);
    return { under: [...removedModules(superimposed, look, camera, screen), ...under], over };
  };
  view.isCompared = true;
  view.above = withReadings(signs, readings, paint);
  view.request();
}
