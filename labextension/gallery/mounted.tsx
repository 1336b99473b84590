/** A whole explorer or comparison in a scene, in the scene's theme. */
import { useEffect, useRef } from "preact/hooks";
import type { Appearance } from "../src/canvas/theme";

export type Mount = (host: HTMLElement, appearance: Appearance) => { dispose(): void };

export function Mounted({ mount }: { mount: Mount }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const host = place.current;
    if (!host) return undefined;
    const theme = host.closest<HTMLElement>("[data-appearance]")?.dataset["appearance"];
    const { dispose } = mount(host, theme === "dark" ? "dark" : "light");
    return dispose;
  }, [mount]);
  return <div class="mounted" ref={place} />;
}
