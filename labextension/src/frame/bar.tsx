/** `strip`: the stages, shown in place of the title. */

import type { JSX } from "preact";
import { keyHint } from "../ui/shortcuts";
import { plural, visible } from "../ui/text";
import { useExplorer, usePart } from "./context";
import { Search } from "./search";

/** `strip`: the stages, which say more than the title does. */
export function Bar({ title, strip }: { title: string; strip?: JSX.Element }): JSX.Element {
  const explorer = useExplorer();
  const graph = usePart((state) => state.picture.graph);
  const { snapshot } = explorer;
  const isPanelOpen = usePart((state) => state.isPanelOpen);
  const method = snapshot.methodOf(graph.number);
  const boxes = usePart((state) => state.picture.words.opsOf(state.picture.count));
  const methods = strip && snapshot.methods.length === 1 ? [] : snapshot.methods;
  // Of all methods together: beside one of several it would mislead.
  const delegation = methods.length === 1 ? snapshot.skeleton.page?.delegation : undefined;
  const share = delegation?.share;
  // The share is of these ops; a box may contain several, such as one that writes a result back.
  const ops = typeof delegation?.percent === "number" ? delegation.ops : boxes;
  return (
    <header class={strip ? "exirviz-bar has-stages" : "exirviz-bar"}>
      {strip ?? (
        <span class="exirviz-program" title={title}>
          {title}
        </span>
      )}
      {methods.map((each, i) => (
        <button
          type="button"
          key={each.name}
          class={`exirviz-pill ${i === method ? "is-on" : ""}`}
          aria-pressed={i === method}
          onClick={() => i !== method && void explorer.showGraph(snapshot.graph(each.graph))}
        >
          <b>{each.name}</b> {each.dialect}
          {i === method && ` · ${plural(ops, "op")}`}
          {share && ` · ${visible(share)}`}
        </button>
      ))}
      <Search />
      {!isPanelOpen && (
        <button
          type="button"
          class="exirviz-button"
          title={`Show inspector (${keyHint("panel")})`}
          onClick={() => explorer.store.set({ isPanelOpen: true })}
        >
          Inspector
        </button>
      )}
    </header>
  );
}
