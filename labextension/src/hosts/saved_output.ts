/** What a notebook's output holds of an explorer, shown without a kernel: the explorer from data alone, or a picture. */
import type { MimeModel, Renderer, Rendermime } from "./fallback";
import { bytesOf, mountSavedExplorer } from "./saved_page";

const HTML = "text/html";
/** The explorer itself, where the user asked for it to be saved. */
const SAVED = "application/vnd.exir-viz.explorer+json";

/** Of the output's bundle; `exir_viz/widget/saved_output.py` writes it. */
interface SavedOutput {
  readonly title: string;
  readonly height: number;
  /** Names of parts → base64. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Undefined for what was not written by us. */
export function asSavedOutput(data: unknown): SavedOutput | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { title, height, parts } = data as Record<string, unknown>;
  if (typeof title !== "string" || typeof height !== "number") return undefined;
  if (typeof parts !== "object" || parts === null) return undefined;
  if (Object.values(parts).some((part) => typeof part !== "string")) return undefined;
  return { title, height, parts: parts as Record<string, string> };
}

const NO_KERNEL = "Saved with the notebook. Run the cell again to lower or profile.";

function showSaved(host: HTMLElement, saved: SavedOutput): { dispose(): void } {
  host.classList.add("exirviz-resizable");
  host.style.setProperty("--exirviz-height", `${saved.height}px`);
  const take = (name: string): Uint8Array | undefined => {
    const text = Object.hasOwn(saved.parts, name) ? saved.parts[name] : undefined;
    return text === undefined ? undefined : bytesOf(text);
  };
  const mounted = mountSavedExplorer(host, take, { title: saved.title });
  mounted.notice(NO_KERNEL);
  return mounted;
}

/** In place of the error of a widget manager that does not find the widget. */
export async function showFallback(
  rendermime: Rendermime<never>,
  renderer: Renderer,
  model: MimeModel,
): Promise<void> {
  const saved = asSavedOutput(model.data[SAVED]);
  if (saved) {
    const host = renderer.node.ownerDocument.createElement("div");
    renderer.node.replaceChildren(host);
    showSaved(host, saved);
    return;
  }
  const picture = rendermime.createRenderer(HTML);
  // Whoever trusts the notebook need not trust the program in it.
  await picture.renderModel(
    rendermime.createModel({ data: { [HTML]: String(model.data[HTML]) }, trusted: false }),
  );
  renderer.node.textContent = "";
  renderer.addWidget?.(picture);
}
