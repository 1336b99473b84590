/** Links to a node, a module, a graph. Each is a button, works by keyboard, and marks its node on hover. */
import type { ComponentChildren, JSX } from "preact";
import type { Here } from "./actions";
import { Clip } from "./clip";
import { visibleLines } from "./text";

/** A button that looks like a link. */
export const Link = (props: JSX.IntrinsicElements["button"]): JSX.Element => (
  <button type="button" class="exirviz-link" {...props} />
);

export function NodeLink({
  snapshot,
  actions,
  node,
  children,
}: Here & { node: number; children?: ComponentChildren }) {
  return (
    <Link
      onClick={() => actions.reveal(node)}
      onMouseEnter={() => actions.hover(node)}
      onMouseLeave={() => actions.hover(undefined)}
      onFocus={() => actions.hover(node)}
      onBlur={() => actions.hover(undefined)}
    >
      {children ?? <Clip text={snapshot.title(node)} />}
    </Link>
  );
}

export function GraphLink({ snapshot, actions, graph }: Here & { graph: number }) {
  return (
    <Link onClick={() => actions.revealGraph(graph)}>
      <Clip text={snapshot.delegateCall(graph)?.name ?? snapshot.graph(graph).columns.name} />
    </Link>
  );
}

/** A module call with a text; not a button if it has no box. */
export function ModuleLink({
  snapshot,
  scope,
  title,
  onGo,
  children,
}: Pick<Here, "snapshot"> & {
  scope: number;
  title?: string;
  onGo: () => void;
  children: ComponentChildren;
}) {
  if (snapshot.isWhole(scope)) return <span title={title}>{children}</span>;
  return (
    <Link title={title} onClick={onGo}>
      {children}
    </Link>
  );
}

/** The modules around something, outermost first. Each shows only what it adds to the previous path. */
export function Breadcrumb({ snapshot, actions, graph, scope }: Here & { graph: number; scope: number }) {
  const chain = snapshot.scopeChain(scope);
  return (
    <nav class="exirviz-crumbs" aria-label="Module path">
      {chain.map((number, i) => {
        const outer = snapshot.scopes[chain[i - 1] ?? -1]?.path ?? "";
        const { path = "", cls = "", call = 0 } = snapshot.scopes[number] ?? {};
        const step = outer && path.startsWith(`${outer}.`) ? path.slice(outer.length + 1) : path;
        return (
          <span key={number} class="exirviz-crumb">
            <ModuleLink
              snapshot={snapshot}
              scope={number}
              title={`${path || "the whole model"}: ${cls}`}
              onGo={() => actions.revealModule(graph, number)}
            >
              <Clip text={step || lastClass(cls)} />
              {call > 0 && <span class="exirviz-dim"> call {call + 1}</span>}
            </ModuleLink>
          </span>
        );
      })}
    </nav>
  );
}

const lastClass = (cls: string): string => cls.slice(cls.lastIndexOf(".") + 1) || "model";

/** A message about a program: it keeps its line breaks, and the id of the node that it names is a link. */
export function Message({ text, id = "", ...here }: Here & { text: string; id?: string | undefined }) {
  const node = id ? here.snapshot.find(id) : undefined;
  const at = text.indexOf(id);
  if (node === undefined || at < 0) return <>{visibleLines(text)}</>;
  return (
    <>
      {visibleLines(text.slice(0, at))}
      <NodeLink {...here} node={node}>
        {id}
      </NodeLink>
      {visibleLines(text.slice(at + id.length))}
    </>
  );
}
