/** The picture with its surroundings: legend below, minimap, tooltip and messages over it. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Minimap } from "../canvas/minimap";
import { listen } from "../canvas/pointer";
import { mixed, type Theme, themeOf } from "../canvas/theme";
import type { CanvasView } from "../canvas/view";
import type { Explorer, Marker } from "../explorer";
import type { Point } from "../geometry/camera";
import type { Scene } from "../layout";
import {
  delegationOverlay,
  kindLegend,
  type Laid,
  makeOverlay,
  type Overlay,
  RULES,
  rulesOverlay,
  type Series,
} from "../overlay";
import { Legend, type RuleEdits } from "../panels/legend";
import type { Picture } from "../picture";
import { badgeOf, costOverlay, signText } from "../profile";
import { RULES_REPORT, ruleFindings, useReports } from "../reports";
import type { SymbolValues } from "../snapshot";
import { entriesOf } from "../ui/commands";
import { Menu } from "../ui/menu";
import { AriaTree, treeId } from "./aria_tree";
import { useSeries } from "./color_choice";
import { COMMANDS, type Page } from "./commands";
import { useDetailNow, useExplorer, usePart } from "./context";
import { useProfile } from "./costs";
import { type FindingMarks, failedNodes, marksOf, ruleBreakers } from "./finding_marks";
import { useTree } from "./stages";
import { TimelineDock } from "./timeline";
import { Tooltip, type TooltipAt, tooltipAt } from "./tooltip";

export interface PicturePaneProps {
  readonly page: Page;
  readonly explorer: Explorer;
  readonly view: CanvasView;
  readonly marker: Marker;
  readonly theme: () => Theme;
  /** Unique in the page: a prefix of ids. */
  readonly mount: string;
  readonly takesWheel: boolean;
  readonly series: readonly Series[];
}

export function PicturePane(props: PicturePaneProps): JSX.Element {
  const { explorer, view, mount, page } = props;
  const [tip, setTip] = useState<TooltipAt>();
  const problem = usePart((state) => state.problem);
  const choice = usePart((state) => state.overlay);
  const series = useSeries(props.series);
  const [menuAt, setMenuAt] = useState<Point>();
  const { overlay, legend, note } = useOverlay({ ...props, series });
  const marks = useFindingMarks(props);
  const sheet = useSheet(props, setTip, setMenuAt);
  useActiveItem(view, mount);
  usePaper(view);
  return (
    <section class="exirviz-picture" aria-label="Picture">
      <div class="exirviz-sheet" ref={sheet}>
        {problem && (
          <div class="exirviz-failed" role="alert">
            <span>{problem}</span>
            <button
              type="button"
              class="exirviz-close"
              aria-label="Hide this message"
              title="Hide this message"
              onClick={() => explorer.store.set({ problem: undefined })}
            >
              ×
            </button>
          </div>
        )}
        <Messages />
        {tip && !menuAt && <Tooltip at={tip} overlay={overlay} says={marks?.says} />}
        <AriaTree mount={mount} says={marks?.says} />
      </div>
      {menuAt && (
        <Menu
          label="Selection"
          entries={entriesOf(COMMANDS, page, ({ place }) => place === "selection")}
          at={menuAt}
          onClose={() => setMenuAt(undefined)}
        />
      )}
      <Legend
        legend={legend}
        note={note}
        scale={choice.scale}
        onScale={(scale) => explorer.store.set({ overlay: { ...choice, scale } })}
        rules={choice.name === RULES ? ruleEdits(explorer) : undefined}
      />
      <TimelineDock theme={props.theme} takesWheel={props.takesWheel} />
    </section>
  );
}

/** Milliseconds for which a message is shown, at least and per letter. */
const NOTICE_TIME = { least: 1_500, letter: 50 } as const;

/** What the picture waits for, or what an action without a visible effect did. */
function Messages(): JSX.Element {
  const { store } = useExplorer();
  const isBusy = usePart((state) => state.isBusy);
  const notice = usePart((state) => state.notice);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(
      () => store.set({ notice: "" }),
      NOTICE_TIME.least + NOTICE_TIME.letter * notice.length,
    );
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <span class="exirviz-status" role="status">
      {isBusy ? "Computing layout…" : notice}
    </span>
  );
}

/** The colours of the boxes and their legend; also sets them in the view. */
function useOverlay({ explorer, view, theme, series }: PicturePaneProps) {
  const picture = usePart((state) => state.picture);
  const choice = usePart((state) => state.overlay);
  const detail = useDetailNow();
  const nodes = useMemo(() => nodesOfPicture(picture), [picture]);
  const scene = usePart((state) => state.scene);
  const profile = useProfile();
  const cost = useMemo(
    () => profile && costOverlay(profile, picture, scene, choice),
    [profile, picture, scene, choice],
  );
  const sizes = usePart((state) => state.sizes);
  const chosen = useMemo(
    () => makeOverlay(picture.snapshot, nodes, choice, series, picture.values),
    [picture, choice, series, detail, sizes],
  );
  const isByKind = choice.name === "kind";
  const delegation = useMemo(
    () => (isByKind ? delegationOverlay(picture, scene, nodes) : undefined),
    [isByKind, picture, scene, nodes],
  );
  const rules = usePart((state) => state.rules);
  const ruled = usePart((state) => state.ruled);
  const byRule = useMemo(
    () => (choice.name === RULES ? rulesOverlay(picture, scene, rules, ruled) : undefined),
    [choice.name, picture, scene, rules, ruled],
  );
  const overlay = byRule ?? cost ?? chosen ?? delegation;
  const legend = useMemo(() => overlay?.legend ?? kindLegend(picture.snapshot, nodes), [overlay, picture]);
  const tint = theme();
  // Before the next frame, which shows another scene with its own colours.
  useLayoutEffect(() => {
    view.boxPaint = overlay && ((slot) => boxColor(overlay, picture, scene, slot, tint));
  }, [overlay, picture, scene, tint]);
  useEffect(() => {
    view.boxBadge = profile && badgeOf(profile, picture, scene, choice.name);
  }, [profile, picture, scene, choice.name]);
  const note = useMemo(() => {
    const tried = picture.values.sizes;
    if (!tried) return profile && signText(profile, choice.name);
    return [sizesText(tried), explorer.costsText()].filter(Boolean).join(". ");
  }, [picture, sizes, profile, choice.name]);
  return { overlay, legend, note };
}

/** "Shapes for batch = 64, seq = 128". */
const sizesText = (sizes: SymbolValues): string =>
  `Shapes for ${[...sizes].map(([name, size]) => `${name} = ${size}`).join(", ")}`;

/** Marks at failed nodes and at nodes that break a rule; also sets them in the view. */
function useFindingMarks({ explorer, view }: PicturePaneProps): FindingMarks | undefined {
  const picture = usePart((state) => state.picture);
  const stage = usePart((state) => state.stage);
  // A large program has many notes.
  const hasNotes = usePart(
    (state) => state.isPanelOpen && state.tab === "reports" && state.report === RULES_REPORT,
  );
  const reports = useReports(picture.snapshot);
  useEffect(() => void reports?.loadMarks(RULES_REPORT), [reports]);
  const findings = ruleFindings(reports);
  const tree = useTree(explorer.stepping);
  const detail = useDetailNow();
  const marks = useMemo(() => {
    const failure = tree?.stages.find(({ id }) => id === stage)?.failure;
    const { snapshot } = picture;
    return marksOf(picture, [
      ...failedNodes(snapshot, failure?.findings ?? []),
      ...ruleBreakers(findings, hasNotes),
    ]);
  }, [tree, stage, picture, findings, hasNotes, detail]);
  useEffect(() => {
    view.above = marks?.above;
  }, [view, marks]);
  return marks;
}

function boxColor(
  overlay: Overlay,
  picture: Picture,
  scene: Scene,
  slot: number,
  theme: Theme,
): string | undefined {
  const node = picture.nodeOf(scene.item[slot] ?? -1);
  const color = scene.kind[slot] === 0 ? overlay.color(node) : groupColor(overlay, slot, node);
  return color && mixed(color.color, theme.box, color.part);
}

/** Without colors for groups, a delegate has the color of its call. */
const groupColor = (overlay: Overlay, slot: number, node: number): Laid | undefined =>
  overlay.box || node < 0 ? overlay.box?.(slot) : overlay.color(node);

/** Puts canvas and minimap into the container, keeps their sizes, and handles the pointer. */
function useSheet(
  { explorer, view, marker, theme, takesWheel }: PicturePaneProps,
  setTip: (tip: TooltipAt | undefined) => void,
  onMenu: (at: Point) => void,
) {
  const sheet = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = sheet.current;
    if (!element) return;
    element.prepend(view.canvas);
    const { ownerDocument } = element;
    const minimap = new Minimap(explorer, marker, theme, ownerDocument, (camera) => view.moved(camera));
    element.append(minimap.canvas);
    view.onTheme = () => minimap.recolor();
    const topOf = (): number => Math.round(element.getBoundingClientRect().top - frameTop(element));
    let top = topOf();
    const fill = (): void => {
      if (element.clientWidth === 0) return; // hidden behind a comparison for a while
      // If only a row was added above, the picture stays in place.
      const isAsWide = element.clientWidth === explorer.viewportStore.state.screen.width;
      const now = topOf();
      if (now !== top && isAsWide) explorer.viewport.shifted(now - top);
      top = now;
      view.resize({ width: element.clientWidth, height: element.clientHeight });
    };
    const resize = new ResizeObserver(fill);
    resize.observe(element);
    fill();
    const off = listen(explorer, view, {
      takesWheel,
      onHover: (at, isHidden) => setTip(isHidden ? undefined : tooltipAt(view, at)),
      onMenu,
    });
    return () => {
      off();
      resize.disconnect();
      view.onTheme = undefined;
      minimap.dispose();
    };
  }, [explorer, view]);
  return sheet;
}

/** The top of the mount; the picture is its lowest row. */
const frameTop = (element: Element): number =>
  element.closest(".exirviz-frame")?.getBoundingClientRect().top ?? 0;

/** Paints for print while the page is printed. */
function usePaper(view: CanvasView): void {
  useEffect(() => {
    const window = view.canvas.ownerDocument.defaultView;
    const begin = (): void => {
      view.paper = themeOf(view.canvas, "light");
    };
    const end = (): void => {
      view.paper = undefined;
    };
    window?.addEventListener("beforeprint", begin);
    window?.addEventListener("afterprint", end);
    return () => {
      window?.removeEventListener("beforeprint", begin);
      window?.removeEventListener("afterprint", end);
    };
  }, [view]);
}

/** Tells screen readers the current item of the tree. */
function useActiveItem(view: CanvasView, mount: string): void {
  const selected = usePart((state) => state.selected);
  useEffect(() => {
    view.canvas.tabIndex = 0;
    view.canvas.setAttribute("role", "application");
    view.canvas.setAttribute(
      "aria-label",
      "The graph. Arrows follow edges, Enter opens, question mark lists the keys.",
    );
    const active = selected[0];
    if (active === undefined) view.canvas.removeAttribute("aria-activedescendant");
    else view.canvas.setAttribute("aria-activedescendant", treeId(mount, active));
  }, [selected, view]);
}

const ruleEdits = ({ coloring }: Explorer): RuleEdits => ({
  remove: (query) => void coloring.remove(query),
  recolor: (query, color) => void coloring.recolor(query, color),
});

const nodesOfPicture = (picture: Explorer["picture"]): number[] =>
  Array.from(picture.hierarchy.leaf, (leaf) => picture.nodeOf(leaf));
