/** All that can be done in an explorer, and the handler of its keys. A new command needs only a row here. */
import type { CanvasView } from "../canvas/view";
import { type Explorer, nodesOf } from "../explorer";
import { type Arrow, neighbour } from "../explorer/navigate";
import { zoomedAt } from "../geometry/camera";
import { nextHottest } from "../profile";
import { framesOf, lineQuery, opName, usersFrame } from "../snapshot";
import type { Direction, Tab } from "../store";
import { type Command, commandOf, isOfPicture, keyCaps } from "../ui/commands";
import { copyLink, fullScreen, type Image, saveImage } from "./export";
import type { SetDock } from "./stages";

/** What commands act on: an explorer, its canvas, and what is open over the picture. */
export interface Page {
  readonly explorer: Explorer;
  readonly view: CanvasView;
  /** Absent if the program is not a stage of a session. */
  readonly onDock?: SetDock | undefined;
}

const { POSITIVE_INFINITY } = Number;

export const COMMANDS: readonly Command<Page>[] = [
  { name: "search", keys: ["/", "Mod+F"], group: "Find", does: "Search", run: ({ view }) => search(view) },
  {
    name: "next",
    keys: ["N"],
    group: "Find",
    does: "Next result; in a comparison, next change",
    run: ({ explorer }) => explorer.search.step(1),
  },
  {
    name: "previous",
    keys: ["Shift+N"],
    group: "Find",
    does: "Previous result; in a comparison, previous change",
    run: ({ explorer }) => explorer.search.step(-1),
  },

  // The selection.
  {
    name: "toggle",
    keys: ["Enter", "Space"],
    group: "Selection",
    does: "Open or close module",
    place: "selection",
    applies: ({ explorer }) => groupOf(explorer) >= 0,
    run: ({ explorer }) => explorer.toggleSelected(false),
  },
  {
    name: "toggle-similar",
    keys: ["Shift+Enter"],
    group: "Selection",
    does: "Open or close similar modules",
    place: "selection",
    applies: ({ explorer }) => groupOf(explorer) >= 0,
    run: ({ explorer }) => explorer.toggleSelected(true),
  },
  {
    name: "unroll",
    group: "Selection",
    does: "Identical modules one by one, or in one box",
    place: "selection",
    applies: ({ explorer }) => explorer.picture.equalsOf(groupOf(explorer)) > 1,
    run: ({ explorer }) => explorer.unroll(groupOf(explorer)),
  },
  {
    name: "fit-selection",
    keys: ["Z"],
    group: "Selection",
    does: "Zoom to selection",
    word: "Zoom",
    place: "selection",
    applies: hasSelection,
    run: ({ explorer }) => explorer.fitSelection(),
  },
  {
    name: "all-inputs",
    group: "Selection",
    does: "Highlight all inputs, direct and indirect",
    word: "Inputs ↑",
    place: "selection",
    applies: hasSelection,
    isOn: isHighlighted("ancestors"),
    run: ({ explorer }) => highlightAll(explorer, "ancestors"),
  },
  {
    name: "all-users",
    group: "Selection",
    does: "Highlight all users, direct and indirect",
    word: "Users ↓",
    place: "selection",
    applies: hasSelection,
    isOn: isHighlighted("descendants"),
    run: ({ explorer }) => highlightAll(explorer, "descendants"),
  },
  {
    name: "between",
    keys: ["B"],
    group: "Selection",
    does: "Highlight paths between two selected boxes",
    word: "Paths",
    place: "selection",
    applies: ({ explorer }) => explorer.state.selected.length > 1,
    isOn: isHighlighted("between"),
    run: ({ explorer }) => highlightAll(explorer, "between"),
  },
  {
    name: "ancestors",
    keys: ["A"],
    group: "Selection",
    does: "Highlight inputs, one step more each time",
    applies: hasSelection,
    run: ({ explorer }) => oneStepMore(explorer, "ancestors"),
  },
  {
    name: "descendants",
    keys: ["D"],
    group: "Selection",
    does: "Highlight users, one step more each time",
    applies: hasSelection,
    run: ({ explorer }) => oneStepMore(explorer, "descendants"),
  },
  {
    name: "neighbourhood",
    keys: ["S"],
    group: "Selection",
    does: "Highlight inputs and users, one step more each time",
    applies: hasSelection,
    run: ({ explorer }) => oneStepMore(explorer, "both"),
  },
  {
    name: "undim",
    keys: ["Shift+A"],
    group: "Selection",
    does: "Clear highlight",
    place: "selection",
    applies: ({ explorer }) => explorer.state.focus !== undefined,
    run: ({ explorer }) => explorer.setFocus(undefined),
  },
  {
    name: "find-line",
    group: "Selection",
    does: "Find all nodes from the same line of source",
    place: "selection",
    applies: ({ explorer }) => hasBox(explorer) && groupOf(explorer) < 0,
    run: ({ explorer }) => findLine(explorer),
  },
  {
    name: "color-selection",
    group: "Selection",
    does: "Color all calls of this op, or all nodes of this module",
    place: "selection",
    applies: ({ explorer }) => colorQuery(explorer) !== undefined,
    run: ({ explorer }) => explorer.coloring.add(colorQuery(explorer) ?? ""),
  },

  // What is seen.
  {
    name: "fit",
    keys: ["0"],
    group: "View",
    does: "Fit graph to view",
    run: ({ explorer }) => explorer.fit(),
  },
  {
    name: "actual-size",
    keys: ["R"],
    group: "View",
    does: "Zoom to 100%",
    run: ({ explorer }) => zoom(explorer, 1 / cameraOf(explorer).zoom),
  },
  {
    name: "zoom-in",
    keys: ["+", "="],
    group: "View",
    does: "Zoom in",
    run: ({ explorer }) => zoom(explorer, 1.4),
  },
  {
    name: "zoom-out",
    keys: ["-"],
    group: "View",
    does: "Zoom out",
    run: ({ explorer }) => zoom(explorer, 1 / 1.4),
  },
  {
    name: "open-all",
    keys: ["E"],
    group: "View",
    does: "Open all",
    place: "menu",
    run: ({ explorer }) => explorer.openAll(),
  },
  {
    name: "close-all",
    keys: ["Shift+E"],
    group: "View",
    does: "Close all",
    place: "menu",
    run: ({ explorer }) => explorer.closeAll(),
  },
  ...["one level", "two levels", "three levels"].map((levels, i) => ({
    name: `depth-${i + 1}`,
    keys: [String(i + 1)],
    group: "View",
    does: `Open ${levels}`,
    run: ({ explorer }: Page) => explorer.openTo(i + 1),
  })),
  {
    name: "by-delegate",
    keys: ["G"],
    group: "View",
    does: "Group by delegate",
    place: "menu",
    applies: ({ explorer }) => explorer.snapshot.hasDelegates,
    isOn: ({ explorer }) => explorer.picture.isByDelegate,
    run: ({ explorer }) =>
      explorer.snapshot.hasDelegates
        ? explorer.setByDelegate(!explorer.picture.isByDelegate)
        : say(explorer, "Nothing is delegated here"),
  },
  {
    name: "fold",
    keys: ["W"],
    group: "View",
    does: "Fold parameters into ops",
    place: "menu",
    isOn: ({ explorer }) => explorer.picture.isFolded,
    run: ({ explorer }) => explorer.setFolded(!explorer.picture.isFolded),
  },
  {
    name: "weighted",
    group: "View",
    does: "Edge width by tensor size",
    place: "menu",
    isOn: ({ explorer }) => explorer.state.isWeighted,
    run: ({ explorer }) => explorer.store.set({ isWeighted: !explorer.state.isWeighted }),
  },
  {
    name: "minimap",
    keys: ["V"],
    group: "View",
    does: "Minimap when zoomed in",
    place: "menu",
    isOn: ({ explorer }) => explorer.state.isMapShown,
    run: ({ explorer }) => explorer.store.set({ isMapShown: !explorer.state.isMapShown }),
  },
  {
    name: "timeline",
    keys: ["T"],
    group: "View",
    does: "Timeline: time, memory and delegates in execution order",
    place: "menu",
    isOn: ({ explorer }) => explorer.state.isTimelineOpen,
    run: ({ explorer }) => explorer.showTimeline(!explorer.state.isTimelineOpen),
  },
  {
    name: "panel",
    keys: ["\\"],
    group: "View",
    does: "Inspector",
    place: "menu",
    isOn: ({ explorer }) => explorer.state.isPanelOpen,
    run: ({ explorer }) => explorer.store.set({ isPanelOpen: !explorer.state.isPanelOpen }),
  },
  {
    name: "full-screen",
    keys: ["F"],
    group: "View",
    does: "Full screen",
    place: "menu",
    run: ({ view }) => fullScreen(rootOf(view)),
  },

  // From box to box.
  { name: "up", keys: ["ArrowUp"], group: "Navigate", does: "Select the box above", ...move("up") },
  { name: "down", keys: ["ArrowDown"], group: "Navigate", does: "Select the box below", ...move("down") },
  {
    name: "left",
    keys: ["ArrowLeft"],
    group: "Navigate",
    does: "Select the box on the left",
    ...move("left"),
  },
  {
    name: "right",
    keys: ["ArrowRight"],
    group: "Navigate",
    does: "Select the box on the right",
    ...move("right"),
  },
  {
    name: "producer",
    keys: ["P"],
    group: "Navigate",
    does: "Go to input",
    run: ({ explorer }) => goTo(explorer, "inputs"),
  },
  {
    name: "users",
    keys: ["U"],
    group: "Navigate",
    does: "Go to user",
    run: ({ explorer }) => goTo(explorer, "users"),
  },
  {
    name: "less-hot",
    keys: ["H"],
    group: "Navigate",
    does: "Next hot op, hottest first (needs a profile)",
    run: ({ explorer }) => stepHottest(explorer, 1),
  },
  {
    name: "hotter",
    keys: ["Shift+H"],
    group: "Navigate",
    does: "Previous hot op (needs a profile)",
    run: ({ explorer }) => stepHottest(explorer, -1),
  },
  {
    name: "back",
    keys: ["Backspace", "["],
    group: "Navigate",
    does: "Previous view",
    place: "menu",
    applies: ({ explorer }) => explorer.state.canGoBack,
    run: ({ explorer }) => explorer.history.goBack(),
  },
  {
    name: "forward",
    keys: ["Shift+Backspace", "]"],
    group: "Navigate",
    does: "Next view",
    place: "menu",
    applies: ({ explorer }) => explorer.state.canGoForward,
    run: ({ explorer }) => explorer.history.goForward(),
  },
  {
    name: "bookmark",
    keys: ["M"],
    group: "Navigate",
    does: "Bookmark this view",
    place: "menu",
    run: ({ explorer }) => explorer.bookmark(),
  },

  // Stages.
  {
    name: "about-stage",
    keys: ["I"],
    group: "Stages",
    does: "About this stage: code, rename, save, delete",
    place: "menu",
    applies: isStage,
    run: ({ onDock }) => onDock?.(({ open }) => (open === "stage" ? {} : { open: "stage" })),
  },
  {
    name: "steps",
    keys: ["Shift+S"],
    group: "Stages",
    does: "Next steps from this stage",
    applies: isStage,
    run: ({ onDock }) => onDock?.(({ open }) => (open === "steps" ? {} : { open: "steps" })),
  },
  {
    name: "compare",
    keys: ["C"],
    group: "Stages",
    does: "Compare with parent stage, or leave the comparison",
    applies: isStage,
    run: ({ explorer }) => explorer.stepping?.compare(),
  },
  {
    name: "stage-child",
    keys: ["Shift+ArrowRight"],
    group: "Stages",
    does: "Next stage",
    ...moveStage("child"),
  },
  {
    name: "stage-parent",
    keys: ["Shift+ArrowLeft"],
    group: "Stages",
    does: "Previous stage",
    ...moveStage("parent"),
  },
  {
    name: "stage-below",
    keys: ["Shift+ArrowDown"],
    group: "Stages",
    does: "Next branch",
    ...moveStage("below"),
  },
  {
    name: "stage-above",
    keys: ["Shift+ArrowUp"],
    group: "Stages",
    does: "Previous branch",
    ...moveStage("above"),
  },

  // Panels.
  { name: "tab-node", keys: ["Shift+1"], group: "Panels", does: "Node panel", ...tab("node") },
  { name: "tab-code", keys: ["Shift+2"], group: "Panels", does: "Code panel", ...tab("code") },
  { name: "tab-cost", keys: ["Shift+3"], group: "Panels", does: "Cost panel", ...tab("cost") },
  { name: "tab-reports", keys: ["Shift+4"], group: "Panels", does: "Reports panel", ...tab("reports") },

  // What leaves the page.
  {
    name: "link",
    keys: ["L"],
    group: "Share",
    does: "Copy link to this view",
    place: "menu",
    run: ({ explorer, view }) => copyLink(explorer, view.canvas.ownerDocument),
  },
  {
    name: "export",
    keys: ["X"],
    group: "Share",
    does: "Export SVG",
    place: "menu",
    ...image({ type: "svg", of: "all" }),
  },
  {
    name: "export-png",
    group: "Share",
    does: "Export PNG",
    place: "menu",
    ...image({ type: "png", of: "all" }),
  },
  {
    name: "export-view",
    group: "Share",
    does: "Export PNG of the visible area",
    place: "menu",
    ...image({ type: "png", of: "view" }),
  },

  {
    name: "palette",
    keys: ["Mod+K"],
    group: "Help",
    does: "Find a command, step, stage or bookmark",
    place: "menu",
    run: ({ explorer }) => explorer.store.set({ isPaletteOpen: true }),
  },
  {
    name: "help",
    keys: ["?"],
    group: "Help",
    does: "Keys, mouse and search",
    place: "menu",
    run: ({ explorer }) => explorer.store.set({ isHelpOpen: true }),
  },
  {
    name: "close",
    keys: ["Escape"],
    group: "Help",
    does: "Close popup, then clear selection",
    isKeyOnly: true,
    run: ({ explorer }) => explorer.clear(),
  },
];

/** "Search (/)": a tooltip with the key of a command. */
export const titled = (title: string, name: string): string => {
  const [key] = COMMANDS.find((command) => command.name === name)?.keys ?? [];
  return key ? `${title} (${keyCaps(key, false).join(" ")})` : title;
};

/** Runs a command by its name. */
export function perform(page: Page, name: string): unknown {
  return COMMANDS.find((command) => command.name === name)?.run(page);
}

/** Runs the command of a key, unless the focused element uses the key. */
export function answer(page: Page, event: KeyboardEvent): void {
  const { isPaletteOpen, isHelpOpen } = page.explorer.state;
  // A dialog has keys of its own, wherever the focus is.
  if (event.defaultPrevented || isPaletteOpen || isHelpOpen) return;
  const { canvas } = page.view;
  const isOnPicture = event.target === canvas || event.target === canvas.ownerDocument.body;
  const found = commandOf(COMMANDS, event, event.target);
  // Outside the picture, arrows, Enter and Space belong to the focused element.
  if (!found || (!isOnPicture && isOfPicture(event))) return;
  void found.command.run(page, found.key);
  event.preventDefault();
  event.stopPropagation();
}

const rootOf = (view: CanvasView): Element | null => view.canvas.closest(".exirviz-explorer");

/** At once: the next key is meant for the box. */
function search(view: CanvasView): void {
  const box = rootOf(view)?.querySelector<HTMLInputElement>(".exirviz-search-input");
  box?.focus();
  box?.select();
}

/** The first selected item that is a module; -1 if there is none. */
const groupOf = ({ state, picture }: Explorer): number =>
  state.selected.find((each) => picture.isGroup(each)) ?? -1;

/** Whether a box is selected, and not an edge. */
const hasBox = ({ state }: Explorer): boolean => state.selected.length > 0 && !state.edge;

function hasSelection({ explorer }: Page): boolean {
  return explorer.state.selected.length > 0;
}

function isStage({ explorer, onDock }: Page): boolean {
  return explorer.stepping !== undefined && onDock !== undefined;
}

function isHighlighted(direction: Direction): (page: Page) => boolean {
  return ({ explorer }) => explorer.state.focus?.direction === direction;
}

/** A second time it clears the highlight. */
function highlightAll(explorer: Explorer, direction: Direction): void {
  const { focus } = explorer.state;
  const isOn = focus?.direction === direction && focus.steps === POSITIVE_INFINITY;
  explorer.setFocus(isOn ? undefined : { direction, steps: POSITIVE_INFINITY });
}

function oneStepMore(explorer: Explorer, direction: Direction): void {
  const { focus } = explorer.state;
  const isNew = focus?.direction !== direction || focus.steps === POSITIVE_INFINITY;
  const steps = isNew ? 1 : focus.steps + 1;
  explorer.setFocus({ direction, steps });
  say(explorer, steps === 1 ? "1 step" : `${steps} steps`);
}

/** The query for all calls of the selected op, or for all nodes in the selected module; undefined for other boxes. */
function colorQuery(explorer: Explorer): string | undefined {
  const { picture, snapshot, state } = explorer;
  const [item] = state.selected;
  if (item === undefined || state.edge) return undefined;
  const path = snapshot.scopes[picture.scopeOf(item)]?.path;
  if (picture.isGroup(item)) return path ? `in:${path}` : undefined;
  const node = picture.nodeOf(item);
  if (node < 0) return undefined;
  const { graph, position } = snapshot.locate(node);
  return graph.op(position) === "call_function" ? `op:${opName(graph.target(position))}` : undefined;
}

async function findLine(explorer: Explorer): Promise<void> {
  const { snapshot, picture, state } = explorer;
  const [node = -1] = nodesOf(picture, state.selected[0] ?? -1);
  const frames = framesOf(snapshot, await snapshot.detail(), node);
  const frame = frames[usersFrame(frames)];
  if (frame) await explorer.search.ask(lineQuery(frame));
  else say(explorer, "No source line recorded");
}

const cameraOf = ({ viewportStore }: Explorer) => viewportStore.state.target ?? viewportStore.state.camera;

function zoom(explorer: Explorer, factor: number): void {
  const { screen } = explorer.viewportStore.state;
  explorer.goTo(zoomedAt(cameraOf(explorer), { x: screen.width / 2, y: screen.height / 2 }, factor));
}

function move(arrow: Arrow): Pick<Command<Page>, "isKeyOnly" | "run"> {
  return {
    isKeyOnly: true,
    run: ({ explorer }) => {
      const { scene, selected } = explorer.state;
      const slot = scene.slotOf[selected[0] ?? -1] ?? -1;
      const item = scene.item[neighbour(scene, slot, arrow)];
      if (item === undefined) return;
      explorer.select([item]);
      explorer.lookAt(item);
    },
  };
}

function moveStage(to: "child" | "parent" | "below" | "above"): Pick<Command<Page>, "applies" | "run"> {
  return { applies: isStage, run: ({ explorer }) => explorer.stepping?.move(to) };
}

function tab(wanted: Tab): Pick<Command<Page>, "run"> {
  return { run: ({ explorer }) => explorer.store.set({ tab: wanted, isPanelOpen: true }) };
}

function image(of: Omit<Image, "scale">): Pick<Command<Page>, "run"> {
  return {
    run: ({ explorer, view }) => saveImage(explorer, view, { ...of, scale: of.type === "png" ? 2 : 1 }),
  };
}

/** To the first node that the selected one uses, or the first that uses it, wherever it is. */
function goTo(explorer: Explorer, which: "inputs" | "users"): void {
  const [node] = explorer.selectedNodes();
  if (node === undefined) return;
  const { graph, position } = explorer.snapshot.locate(node);
  const [other] = which === "inputs" ? graph.inputsOf(position) : graph.usersOf(position);
  if (other !== undefined) void explorer.reveal(graph.base + other);
}

/** To the hottest node, then to the next. */
function stepHottest(explorer: Explorer, by: 1 | -1): void {
  const profile = explorer.profile();
  const node = profile && nextHottest(profile, explorer.selectedNodes()[0], by);
  if (!profile) say(explorer, "No profile yet");
  else if (node !== undefined) void explorer.reveal(node);
}

/** Why a key does nothing. */
const say = (explorer: Explorer, notice: string): void => explorer.store.set({ notice });
