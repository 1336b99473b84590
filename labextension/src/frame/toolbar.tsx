/** Buttons above the picture. Hints name the key that does the same. */
import type { JSX } from "preact";
import { BUILT_IN } from "../overlay";
import { type Command, SHORTCUTS } from "../panels/shortcuts";
import { Bookmarks } from "./bookmarks";
import { useExplorer, usePart } from "./context";

const keyOf = (command: Command): string =>
  SHORTCUTS.find((shortcut) => shortcut.command === command)?.keys[0] ?? "";

export interface ToolbarProps {
  readonly series: readonly string[];
  readonly onSave: (type: "svg" | "png") => void;
}

export function Toolbar({ series, onSave }: ToolbarProps): JSX.Element {
  const explorer = useExplorer();
  const isFolded = usePart((state) => state.picture.isFolded);
  const overlay = usePart((state) => state.overlay);
  const isWeighted = usePart((state) => state.isWeighted);
  const isBusy = usePart((state) => state.isBusy);
  const canGoBack = usePart((state) => state.canGoBack);
  const canGoForward = usePart((state) => state.canGoForward);
  const isAllOpen = usePart((state) => state.open.size > 0 && state.scene.kind.every((kind) => kind !== 1));
  return (
    <div class="exirviz-toolbar" role="toolbar" aria-label="Picture">
      <button
        type="button"
        title={`Back (${keyOf("back")})`}
        aria-label="Back"
        disabled={!canGoBack}
        onClick={() => void explorer.history.goBack()}
      >
        ←
      </button>
      <button
        type="button"
        title={`Forward (${keyOf("forward")})`}
        aria-label="Forward"
        disabled={!canGoForward}
        onClick={() => void explorer.history.goForward()}
      >
        →
      </button>
      <button type="button" title={`Fit everything (${keyOf("fit")})`} onClick={() => explorer.fit()}>
        fit
      </button>
      <button
        type="button"
        class="exirviz-open-all"
        title={`Open all (${keyOf("open-all")}), close all (${keyOf("close-all")})`}
        onClick={() => void (isAllOpen ? explorer.closeAll() : explorer.openAll())}
      >
        {isAllOpen ? "close all" : "open all"}
      </button>
      <label>
        colour:
        <select
          value={overlay.name}
          onChange={(event) =>
            explorer.store.set({ overlay: { ...overlay, name: event.currentTarget.value } })
          }
        >
          {[...BUILT_IN, ...series].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        aria-pressed={isFolded}
        title={`Fold parameters into the ops that eat them (${keyOf("fold")})`}
        onClick={() => void explorer.setFolded(!isFolded)}
      >
        fold parameters{isFolded ? " ✓" : ""}
      </button>
      <button
        type="button"
        aria-pressed={isWeighted}
        title="Edges as thick as their values have bytes"
        onClick={() => explorer.store.set({ isWeighted: !isWeighted })}
      >
        weigh edges{isWeighted ? " ✓" : ""}
      </button>
      <Bookmarks />
      <label title={`Save what is open as an image (${keyOf("export")})`}>
        <select
          aria-label="Save as an image"
          value=""
          onChange={(event) => {
            const { value } = event.currentTarget;
            event.currentTarget.value = "";
            if (value === "svg" || value === "png") onSave(value);
          }}
        >
          <option value="">save</option>
          <option value="svg">SVG</option>
          <option value="png">PNG</option>
        </select>
      </label>
      <button
        type="button"
        title="Keys and the query language (?)"
        aria-label="Help"
        onClick={() => explorer.store.set({ isHelpOpen: true })}
      >
        ?
      </button>
      {isBusy && (
        <span class="exirviz-busy" role="status">
          laying out…
        </span>
      )}
    </div>
  );
}
