/** What each command of the keyboard does. `ui/shortcuts` maps keys to commands. */
import { zoomedAt } from "../geometry/camera";
import { nextHottest } from "../profile";
import type { Direction, Tab } from "../store";
import type { Command } from "../ui/shortcuts";
import type { Explorer } from "./explorer";
import { type Arrow, neighbour } from "./navigate";

/** Commands of the page: only it has a search box, files, a clipboard and a screen. */
export type PageCommand = "search" | "export" | "link" | "full-screen";

export function run(explorer: Explorer, command: Exclude<Command, PageCommand>): void {
  ACTIONS[command](explorer);
}

const ACTIONS: Readonly<Record<Exclude<Command, PageCommand>, (explorer: Explorer) => unknown>> = {
  next: (e) => e.search.step(1),
  previous: (e) => e.search.step(-1),
  help: (e) => e.store.set({ isHelpOpen: !e.state.isHelpOpen }),
  palette: (e) => e.store.set({ isPaletteOpen: true, isHelpOpen: false }),
  close: (e) => e.clear(),
  fit: (e) => e.fit(),
  "fit-selection": (e) => e.fitSelection(),
  "zoom-in": (e) => zoom(e, 1.4),
  "zoom-out": (e) => zoom(e, 1 / 1.4),
  "actual-size": (e) => zoom(e, 1 / (e.viewportStore.state.target ?? e.viewportStore.state.camera).zoom),
  minimap: (e) => e.store.set({ isMapShown: !e.state.isMapShown }),
  "move-up": (e) => step(e, "up"),
  "move-down": (e) => step(e, "down"),
  "move-left": (e) => step(e, "left"),
  "move-right": (e) => step(e, "right"),
  producer: (e) => goTo(e, "inputs"),
  users: (e) => goTo(e, "users"),
  toggle: (e) => e.toggleSelected(false),
  "toggle-similar": (e) => e.toggleSelected(true),
  "open-all": (e) => e.openAll(),
  "close-all": (e) => e.closeAll(),
  "depth-1": (e) => e.openTo(1),
  "depth-2": (e) => e.openTo(2),
  "depth-3": (e) => e.openTo(3),
  fold: (e) => e.setFolded(!e.picture.isFolded),
  "by-delegate": (e) =>
    e.snapshot.hasDelegates ? e.setByDelegate(!e.picture.isByDelegate) : say(e, "Nothing is delegated here"),
  ancestors: (e) => oneStepMore(e, "ancestors"),
  descendants: (e) => oneStepMore(e, "descendants"),
  neighbourhood: (e) => oneStepMore(e, "both"),
  between: (e) => e.setFocus({ direction: "between", steps: Number.POSITIVE_INFINITY }),
  undim: (e) => e.setFocus(undefined),
  "stage-parent": (e) => e.stepping?.move("parent"),
  "stage-child": (e) => e.stepping?.move("child"),
  "stage-above": (e) => e.stepping?.move("above"),
  "stage-below": (e) => e.stepping?.move("below"),
  compare: (e) => e.stepping?.compare(),
  back: (e) => e.history.goBack(),
  forward: (e) => e.history.goForward(),
  bookmark: (e) => e.bookmark(),
  panel: (e) => e.store.set({ isPanelOpen: !e.state.isPanelOpen }),
  timeline: (e) => e.showTimeline(!e.state.isTimelineOpen),
  "tab-node": (e) => tab(e, "node"),
  "tab-code": (e) => tab(e, "code"),
  "tab-signature": (e) => tab(e, "signature"),
  "tab-shapes": (e) => tab(e, "shapes"),
  "tab-profile": (e) => tab(e, "profile"),
  "tab-delegation": (e) => e.store.set({ tab: "reports", report: "delegation", isPanelOpen: true }),
  "tab-findings": (e) => tab(e, "findings"),
  "tab-reports": (e) => tab(e, "reports"),
  hotter: (e) => stepHottest(e, -1),
  "less-hot": (e) => stepHottest(e, 1),
};

function zoom(explorer: Explorer, factor: number): void {
  const { camera, screen, target } = explorer.viewportStore.state;
  explorer.goTo(zoomedAt(target ?? camera, { x: screen.width / 2, y: screen.height / 2 }, factor));
}

function step(explorer: Explorer, arrow: Arrow): void {
  const { scene, selected } = explorer.state;
  const slot = scene.slotOf[selected[0] ?? -1] ?? -1;
  const item = scene.item[neighbour(scene, slot, arrow)];
  if (item === undefined) return;
  explorer.select([item]);
  explorer.lookAt(item);
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

function oneStepMore(explorer: Explorer, direction: Direction): void {
  const now = explorer.state.focus;
  explorer.setFocus({ direction, steps: now?.direction === direction ? now.steps + 1 : 1 });
}

/** Why a key does nothing. */
const say = (explorer: Explorer, notice: string): void => explorer.store.set({ notice });

const tab = (explorer: Explorer, wanted: Tab): void => explorer.store.set({ tab: wanted, isPanelOpen: true });
