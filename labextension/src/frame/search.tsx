/** The search in the bar: the box, and the list of results below it while it has the focus. */
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { nextColor } from "../overlay";
import { SearchBox } from "../panels/search/box";
import { Results } from "../panels/search/results";
import { isModuleBetter, isReadable, modulesNamed } from "../search";
import { Clip } from "../ui/clip";
import { lastName, plural, visible } from "../ui/text";
import { useExplorer, usePart } from "./context";
import { actionsOf } from "./selection";

/** Modules that are listed above the nodes, and the height of one. */
const MOST_MODULES = 3;
const MODULE_HEIGHT = 29;

/** `of`: the graph that is searched, where there are several. */
export function Search({ of = "ops" }: { of?: string }): JSX.Element {
  const explorer = useExplorer();
  const { snapshot, search } = explorer;
  const query = usePart((state) => state.query);
  const results = usePart((state) => state.results);
  const rules = usePart((state) => state.rules);
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const actions = useMemo(() => actionsOf(explorer), [explorer]);
  const isAnswered = results.of === query;
  const { picture } = explorer;
  const named = useMemo(
    () => modulesNamed(snapshot, query, (scope) => picture.firstModule(scope) !== undefined),
    [snapshot, picture, query],
  );
  const modules = named.slice(0, MOST_MODULES);
  const moreModules = named.length - modules.length;
  const goToModule = (scope: number): void => actions.revealModule(picture.graph.number, scope);
  // Enter goes to the first module if it matches the query better than the nodes, then from node to node.
  const visited = useRef("");
  const [module] = modules;
  const isFirst =
    module !== undefined && isAnswered && results.at < 0 && isModuleBetter(snapshot, query, results.nodes);
  const step = async (by: 1 | -1): Promise<void> => {
    setOpen(false); // the list would cover the panel of the selected node
    const { nodes, at } = await search.answered();
    const isNew = by > 0 && at < 0 && visited.current !== query;
    visited.current = query;
    if (isNew && module !== undefined && isModuleBetter(snapshot, query, nodes)) goToModule(module);
    else await search.step(by);
  };
  const close = (): void => {
    setOpen(false);
    if (query) void search.ask("");
    else box.current?.querySelector("input")?.blur();
  };
  return (
    <div
      class="exirviz-search"
      ref={box}
      onFocusIn={() => setOpen(true)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <SearchBox
        snapshot={snapshot}
        query={query}
        count={isAnswered ? results.nodes.length : undefined}
        at={results.at}
        problem={results.problem}
        of={of}
        onQuery={(text) => {
          setOpen(true);
          void search.ask(text);
        }}
        onStep={(by) => void step(by)}
        onOpen={() => setOpen(true)}
        onClose={close}
      />
      {isOpen && query.trim() !== "" && !results.problem && isReadable(query) && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a press must not take the focus from the box
        <div
          class="exirviz-results"
          style={{
            height: `${Math.min(420, Math.max(110, 38 * results.nodes.length + MODULE_HEIGHT * (modules.length + (moreModules ? 1 : 0)) + 42))}px`,
          }}
          onMouseDown={(event) => event.preventDefault()}
        >
          {modules.map((scope, index) => (
            <button
              key={scope}
              type="button"
              class={`exirviz-result-module ${isFirst && index === 0 ? "exirviz-result-it" : ""}`}
              title="Go to this module"
              onClick={() => {
                setOpen(false);
                box.current?.querySelector("input")?.blur();
                goToModule(scope);
              }}
            >
              <Clip text={snapshot.scopes[scope]?.path ?? ""} />
              <span class="exirviz-dim">{visible(lastName(snapshot.scopes[scope]?.cls ?? ""))}</span>
            </button>
          ))}
          {moreModules > 0 && (
            <p class="exirviz-result-more exirviz-dim">{plural(moreModules, "more module")}</p>
          )}
          {isAnswered && results.nodes.length > 0 && (
            <button
              type="button"
              class="exirviz-color-these"
              title="Color the nodes that match this query, in every stage"
              onClick={() => void explorer.coloring.add(query)}
            >
              <i style={{ background: nextColor(rules) }} />
              Color {plural(results.nodes.length, "node")}
            </button>
          )}
          <Results
            snapshot={snapshot}
            actions={actions}
            nodes={isAnswered ? results.nodes : undefined}
            at={results.at}
            onPick={(index) => void search.goTo(index)}
          />
        </div>
      )}
    </div>
  );
}
