/** A name that is cut in its middle if there is no room; a tooltip has all of it. */
import { visible } from "./text";

/** Characters kept at the end: enough to distinguish `layers.3.self_attn.q_proj.weight` from its siblings. */
const TAIL = 14;

export function Clip({ text, class: more = "" }: { text: string; class?: string }) {
  const shown = visible(text);
  const cut = shown.length > TAIL + 4 ? shown.length - TAIL : shown.length;
  return (
    <span class={`exirviz-clip ${more}`} title={shown}>
      <span class="exirviz-clip-head">{shown.slice(0, cut)}</span>
      {cut < shown.length && <span class="exirviz-clip-tail">{shown.slice(cut)}</span>}
    </span>
  );
}
