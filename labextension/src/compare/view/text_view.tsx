/**
 * The two programs as text, side by side: folded where equal, marked where they differ, linked to the graphs.
 */
import type { JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { List } from "../../ui/list";
import { Busy, Failed } from "../../ui/states";
import { visible } from "../../ui/text";
import type { TextRow } from "../model/schema";
import { usePairPart, usePairView } from "./context";
import { type Fit, fitOf, setRow } from "./text_layout";
import { Line } from "./text_line";

/** The text of the pair with this index. */
export type TextSource = (at: number) => Promise<readonly TextRow[]>;

export function PairText({ source }: { source: TextSource }): JSX.Element {
  const { pair } = usePairView();
  const [rows, setRows] = useState<readonly TextRow[]>();
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let isWanted = true;
    setRows(undefined);
    setProblem("");
    source(pair.at).then(
      (found) => isWanted && setRows(found),
      (why: unknown) => isWanted && setProblem(why instanceof Error ? why.message : String(why)),
    );
    return () => {
      isWanted = false;
    };
  }, [source, pair]);
  if (problem) return <Failed what="The text cannot be shown" why={problem} />;
  if (!rows) return <Busy what="Reading the two texts…" />;
  return <Texts rows={rows} />;
}

function Texts({ rows }: { rows: readonly TextRow[] }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLSpanElement>(null);
  const fit = useFit(place, ruler);
  return (
    <div class="exirviz-text" ref={place}>
      <span class="exirviz-text-ruler" ref={ruler} aria-hidden="true">
        {"0".repeat(RULER)}
      </span>
      {fit && <Rows rows={rows} fit={fit} />}
    </div>
  );
}

function Rows({ rows, fit }: { rows: readonly TextRow[]; fit: Fit }): JSX.Element {
  const { columns, pair } = usePairView();
  const { comparison } = pair.changes;
  const match = usePairPart((state) => state.match);
  const { columns: width, isStacked } = fit;
  const asIs = useMemo(
    () => rows.map((row) => setRow(row, { columns: width, isStacked })),
    [rows, width, isStacked],
  );
  const set = useMemo(
    () =>
      asIs.map((one) =>
        match >= 0 && one.row.match === match ? setRow(one.row, { columns: width, isStacked }, true) : one,
      ),
    [asIs, match],
  );
  const heights = useMemo(() => set.map(({ height }) => height), [set]);
  return (
    <List
      label={`Text of ${visible(comparison.a)} and ${visible(comparison.b)}`}
      count={rows.length}
      rowHeight={heights}
      reveal={match < 0 ? -1 : rows.findIndex((row) => row.match === match)}
      revealKey={match}
      row={(index) => {
        const one = set[index];
        if (!one) return null;
        const isCurrent = match >= 0 && one.row.match === match;
        return <Line key={index} set={one} isCurrent={isCurrent} onPress={(of) => void columns.show(of)} />;
      }}
    />
  );
}

/** Characters in the ruler: a character is not a whole number of pixels wide. */
const RULER = 50;

/** The layout that fits the container; computed again when its width changes. */
function useFit(place: RefObject<HTMLElement | null>, ruler: RefObject<HTMLElement | null>): Fit | undefined {
  const [fit, setFit] = useState<Fit>();
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const measure = (): void => {
      const character = (ruler.current?.offsetWidth ?? 0) / RULER;
      if (character > 0 && element.clientWidth > 0) setFit(fitOf(element.clientWidth, character));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [place, ruler]);
  return fit;
}
