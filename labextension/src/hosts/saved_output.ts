/** The saved explorer in a notebook's output, shown without a kernel: an explorer from data, or a picture. */
import type { ShowFallback } from "./fallback";
import { bytesOf, mountSavedExplorer } from "./saved_page";
import type { Translation } from "./translation";

const HTML = "text/html";
/** The explorer itself, if the user asked to save it. */
const SAVED = "application/vnd.exir-viz.explorer+json";

/** An entry of the output's bundle; `exir_viz/widget/saved_output.py` writes it. */
interface SavedOutput {
  readonly title: string;
  readonly height: number;
  /** Names of parts → base64. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Undefined if it is not ours. */
export function asSavedOutput(data: unknown): SavedOutput | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { title, height, parts } = data as Record<string, unknown>;
  if (typeof title !== "string" || typeof height !== "number") return undefined;
  if (typeof parts !== "object" || parts === null) return undefined;
  if (Object.values(parts).some((part) => typeof part !== "string")) return undefined;
  return { title, height, parts: parts as Record<string, string> };
}

function showSaved(host: HTMLElement, saved: SavedOutput, trans: Translation): { dispose(): void } {
  host.classList.add("exirviz-resizable");
  host.style.setProperty("--exirviz-height", `${saved.height}px`);
  const take = (name: string): Uint8Array | undefined => {
    const text = Object.hasOwn(saved.parts, name) ? saved.parts[name] : undefined;
    return text === undefined ? undefined : bytesOf(text);
  };
  const mounted = mountSavedExplorer(host, take, { title: saved.title });
  mounted.notice(trans.__("Saved with the notebook. Run the cell again to lower or profile."));
  return mounted;
}

/** What is shown in place of the widget manager's error that the widget was not found. */
export function fallbackIn(trans: Translation): ShowFallback {
  return async (rendermime, renderer, model) => {
    const saved = asSavedOutput(model.data[SAVED]);
    if (saved) {
      const host = renderer.node.ownerDocument.createElement("div");
      renderer.node.replaceChildren(host);
      showSaved(host, saved, trans);
      return;
    }
    const picture = rendermime.createRenderer(HTML);
    // A user who trusts the notebook may not trust the program in it.
    await picture.renderModel(
      rendermime.createModel({ data: { [HTML]: String(model.data[HTML]) }, trusted: false }),
    );
    renderer.node.textContent = "";
    renderer.addWidget?.(picture);
  };
}
