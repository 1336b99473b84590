/** Small parts that the tabs are made of. */
import type { ComponentChildren, JSX } from "preact";
import { useExplorer } from "./context";

export function Section({ title, children }: { title?: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="exirviz-section">
      {title && <h4>{title}</h4>}
      {children}
    </section>
  );
}

/** Names beside their values. */
export function Facts({ children }: { children: ComponentChildren }): JSX.Element {
  return <dl class="exirviz-facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <>
      <dt title={name}>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** A node's name, which goes to it. */
export function NodeLink({ node }: { node: number }): JSX.Element {
  const explorer = useExplorer();
  return (
    <button
      type="button"
      class="exirviz-link exirviz-code"
      title={explorer.snapshot.id(node)}
      onClick={() => void explorer.reveal(node)}
    >
      {explorer.snapshot.name(node)}
    </button>
  );
}

/** What is not there says so. */
export function Nothing({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="exirviz-nothing">{children}</p>;
}
