/**
 * All that can be done in a comparison. A key means the same as in an explorer: what both can do is the explorer's row
 * with an action of its own.
 */
import { COMMANDS, type Page } from "../../frame/commands";
import { type Command, commandOf, isOfPicture } from "../../ui/commands";
import { nextPaint } from "../measurements";
import type { MeasurementRuns } from "../measurements/measurement_runs";
import type { Columns } from "./columns";

export interface Compared {
  readonly columns: Columns;
  /** By pair. */
  readonly measured: readonly MeasurementRuns[];
  /** The graph used last. */
  readonly page: () => Page;
  /** Returns to where the comparison was opened from; absent if there is nothing else. */
  readonly onClose: (() => void) | undefined;
}

type Action = Command<Compared>["run"];

/** A command of the explorer as it works here; without an action, on the graph used last. */
function here(name: string, act?: Action): Command<Compared> {
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) throw new Error(`No command "${name}".`);
  const { isOn, applies, word, ...same } = command;
  return { ...same, run: act ?? ((on, key) => command.run(on.page(), key)) };
}

const hasStages = ({ columns }: Compared): boolean => columns.stageColumns !== undefined;

const openTo = (depth: number): Command<Compared> =>
  here(`depth-${depth}`, ({ columns }) => columns.arrange((one) => one.openTo(depth)));

export const COMPARE_COMMANDS: readonly Command<Compared>[] = [
  here("search"),
  here("next", ({ columns }) => columns.step(1)),
  here("previous", ({ columns }) => columns.step(-1)),
  {
    name: "hide-same",
    keys: ["Q"],
    group: "Compare",
    does: "Hide unchanged nodes",
    place: "menu",
    isOn: ({ columns }) => columns.state.isSameHidden,
    run: ({ columns }) => columns.hideSame(!columns.state.isSameHidden),
  },
  {
    name: "sync-views",
    keys: ["J"],
    group: "Compare",
    does: "Move all views together",
    place: "menu",
    applies: ({ columns }) => columns.state.viewMode === "pictures",
    isOn: ({ columns }) => columns.state.isOneCamera,
    run: ({ columns }) => columns.cameras.setOne(!columns.state.isOneCamera),
  },
  {
    name: "text",
    keys: ["Y"],
    group: "Compare",
    does: "Both programs as text",
    place: "menu",
    isOn: ({ columns }) => columns.state.viewMode === "text",
    run: ({ columns }) => columns.see(columns.state.viewMode === "text" ? "pictures" : "text"),
  },
  {
    name: "paint",
    keys: ["K"],
    group: "Compare",
    does: "Color by changes, values or costs",
    run: ({ columns: { store }, measured }) => {
      const known = measured[store.state.at]?.store.state;
      if (known) store.set({ paint: nextPaint(store.state.paint, known) });
    },
  },
  {
    name: "move-right",
    keys: ["Alt+Shift+ArrowRight"],
    group: "Compare",
    does: "Move column right",
    place: "menu",
    applies: hasStages,
    run: ({ columns: { stageColumns, state } }) => stageColumns?.move(state.leader, state.leader + 1),
  },
  {
    name: "move-left",
    keys: ["Alt+Shift+ArrowLeft"],
    group: "Compare",
    does: "Move column left",
    place: "menu",
    applies: hasStages,
    run: ({ columns: { stageColumns, state } }) => stageColumns?.move(state.leader, state.leader - 1),
  },
  {
    name: "remove-column",
    keys: ["Delete"],
    group: "Compare",
    does: "Remove column",
    place: "menu",
    applies: ({ columns }) => columns.stageColumns?.canRemove ?? false,
    run: ({ columns: { stageColumns, state } }) =>
      stageColumns?.canRemove && stageColumns.remove(state.leader),
  },
  here("fit", ({ columns }) => columns.fit()),
  here("open-all", ({ columns }) => columns.arrange((one) => one.openAll())),
  here("close-all", ({ columns }) => columns.arrange((one) => one.closeAll())),
  openTo(1),
  openTo(2),
  openTo(3),
  here("toggle", ({ columns }) => columns.toggle(false)),
  here("toggle-similar", ({ columns }) => columns.toggle(true)),
  ...["fit-selection", "actual-size", "zoom-in", "zoom-out", "up", "down", "left", "right"].map((name) =>
    here(name),
  ),
  here("producer"),
  here("users"),
  here("fold"),
  here("panel", ({ columns: { store } }) => store.set({ isPanelOpen: !store.state.isPanelOpen })),
  here("full-screen"),
  here("stage-child", ({ columns }) => columns.turn(1)),
  here("stage-parent", ({ columns }) => columns.turn(-1)),
  here("compare", ({ onClose }) => onClose?.()),
  here("palette", ({ columns }) => columns.store.set({ isPaletteOpen: true })),
  here("help", ({ columns }) => columns.store.set({ isHelpOpen: true })),
  here("close"),
];

/** Runs the command of a key, unless the focused element uses the key. */
export function answerKeys(on: Compared, event: KeyboardEvent): void {
  const { target } = event;
  const { isHelpOpen, isPaletteOpen } = on.columns.state;
  const found = commandOf(COMPARE_COMMANDS, event, target);
  const isElsewhere = !(target instanceof HTMLCanvasElement) && target !== document.body;
  if (event.defaultPrevented || isHelpOpen || isPaletteOpen || !found) return;
  if (isElsewhere && isOfPicture(event)) return;
  void found.command.run(on, found.key);
  event.preventDefault();
  event.stopPropagation();
}
