/** The explorer that a notebook's output holds: shown without a kernel, from data alone. */
import { bytesOf, mountSavedExplorer } from "./saved_page";

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

export function showSaved(host: HTMLElement, saved: SavedOutput): { dispose(): void } {
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
