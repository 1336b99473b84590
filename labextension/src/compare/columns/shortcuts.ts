/** The keys of a comparison: its own, and those of the explorer that work here too. */
import { run } from "../../explorer/commands";
import { type Command, commandOf, isOfPicture, keysOf, SHORTCUTS, type Shortcut } from "../../ui/shortcuts";
import { nextPaint } from "../measurements";
import type { MeasurementRuns } from "../measurements/measurement_runs";
import type { Columns } from "./columns";

interface OwnKey {
  readonly keys: readonly string[];
  readonly does: string;
  /** `measured`: by pair. `key`: the key that was pressed. */
  readonly act: (columns: Columns, measured: readonly MeasurementRuns[], key: string) => unknown;
}

export const OWN_KEYS: readonly OwnKey[] = [
  { keys: ["N"], does: "Next change", act: (columns) => columns.step(1) },
  { keys: ["P"], does: "Previous change", act: (columns) => columns.step(-1) },
  {
    keys: ["H"],
    does: "Hide or show unchanged nodes",
    act: (columns) => columns.hideSame(!columns.state.isSameHidden),
  },
  {
    keys: ["C"],
    does: "Sync views, or move each alone",
    act: (columns) => columns.cameras.setOne(!columns.state.isOneCamera),
  },
  {
    keys: ["O"],
    does: "Superimposed, or side by side",
    act: (columns) => columns.see(columns.state.viewMode === "superimposed" ? "pictures" : "superimposed"),
  },
  {
    keys: ["T"],
    does: "Graphs or text",
    act: (columns) => columns.see(columns.state.viewMode === "text" ? "pictures" : "text"),
  },
  {
    keys: ["K"],
    does: "Color by changes, values or costs",
    act: ({ store }, measured) => {
      const known = measured[store.state.at]?.store.state;
      if (known) store.set({ paint: nextPaint(store.state.paint, known) });
    },
  },
  {
    keys: ["Shift+ArrowRight"],
    does: "Next column",
    act: (columns) => columns.turn(1),
  },
  { keys: ["Shift+ArrowLeft"], does: "Previous column", act: (columns) => columns.turn(-1) },
  {
    keys: ["Alt+Shift+ArrowRight"],
    does: "Move column right (sessions)",
    act: ({ stageColumns, state }) => stageColumns?.move(state.leader, state.leader + 1),
  },
  {
    keys: ["Alt+Shift+ArrowLeft"],
    does: "Move column left (sessions)",
    act: ({ stageColumns, state }) => stageColumns?.move(state.leader, state.leader - 1),
  },
  {
    keys: ["Delete"],
    does: "Remove column (sessions)",
    act: ({ stageColumns, state }) => stageColumns?.canRemove && stageColumns.remove(state.leader),
  },
  { keys: ["E"], does: "Open all", act: (columns) => columns.arrange((one) => one.openAll()) },
  { keys: ["Shift+E"], does: "Close all", act: (columns) => columns.arrange((one) => one.closeAll()) },
  {
    keys: ["1", "2", "3"],
    does: "Open one, two or three levels",
    act: (columns, _, key) => columns.arrange((one) => one.openTo(Number(key))),
  },
  { keys: ["0"], does: "Fit all", act: (columns) => columns.fit() },
  {
    keys: ["/"],
    does: "Search the focused graph",
    act: ({ store }) => store.set({ isFinding: true }),
  },
  {
    keys: ["\\"],
    does: "Show or hide inspector",
    act: ({ store }) => store.set({ isPanelOpen: !store.state.isPanelOpen }),
  },
  { keys: ["?"], does: "This help", act: ({ store }) => store.set({ isHelpOpen: !store.state.isHelpOpen }) },
];

/** Keys of the explorer that act on the graph used last. */
const SHARED: ReadonlySet<Command> = new Set<Command>([
  "fit-selection",
  "zoom-in",
  "zoom-out",
  "actual-size",
  "move-up",
  "move-down",
  "move-left",
  "move-right",
  "toggle",
  "toggle-similar",
  "users",
  "fold",
  "close",
]);

export const SHARED_KEYS: readonly Shortcut[] = SHORTCUTS.filter(({ command }) => SHARED.has(command));

/** Runs the command of a key, unless the focused element uses the key. */
export function answerKeys(
  columns: Columns,
  measured: readonly MeasurementRuns[],
  event: KeyboardEvent,
): void {
  const { target } = event;
  const command = commandOf(event, target);
  if (event.defaultPrevented || isTyped(target)) return;
  const written = keysOf(event);
  const keyOf = ({ keys }: OwnKey): string | undefined => keys.find((key) => written.includes(key));
  const own = OWN_KEYS.find(keyOf);
  const isElsewhere = !(target instanceof HTMLCanvasElement) && target !== document.body;
  if (own) void own.act(columns, measured, keyOf(own) ?? "");
  else if (command && SHARED.has(command) && !(isElsewhere && isOfPicture(event)))
    answerShared(columns, command);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function answerShared(columns: Columns, command: Command): void {
  if (command === "toggle" || command === "toggle-similar") void columns.toggle(command === "toggle-similar");
  else run(columns.inFront, command as Parameters<typeof run>[1]);
}

const isTyped = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
