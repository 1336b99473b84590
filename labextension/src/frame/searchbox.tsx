/** The search box, its count, and the list of what it found. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { opTitle } from "../snapshot";
import { useExplorer, usePart } from "./context";

/** Milliseconds after the last letter before one searches. */
const PAUSE = 120;
const MOST = 200;

export function SearchBox(): JSX.Element {
  const explorer = useExplorer();
  const query = usePart((state) => state.query);
  const results = usePart((state) => state.results);
  const asked = usePart((state) => state.searchAsked);
  const [text, setText] = useState(query);
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setText(query), [query]);
  useEffect(() => {
    if (asked > 0) input.current?.select();
  }, [asked]);
  useEffect(() => {
    if (text === query) return;
    const timer = setTimeout(() => void explorer.search.ask(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  const onKeyDown = async (event: KeyboardEvent): Promise<void> => {
    event.stopPropagation();
    if (event.key === "Escape") {
      if (text) setText("");
      else input.current?.blur();
      setOpen(false);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (text !== explorer.state.query) await explorer.search.ask(text);
      await explorer.search.step(event.shiftKey ? -1 : 1);
    }
  };
  return (
    <div
      class="exirviz-search"
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <input
        ref={input}
        type="search"
        spellcheck={false}
        placeholder="search: op:mm in:layers.5"
        aria-label="Search nodes"
        value={text}
        onFocus={() => setOpen(true)}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={(event) => void onKeyDown(event)}
      />
      {query && (
        <span class="exirviz-count" role="status">
          {results.problem
            ? "?"
            : results.at >= 0
              ? `${results.at + 1} / ${results.nodes.length.toLocaleString("en-US")}`
              : results.nodes.length.toLocaleString("en-US")}
        </span>
      )}
      {isOpen && query && <Results />}
    </div>
  );
}

function Results(): JSX.Element {
  const explorer = useExplorer();
  const { nodes, at, problem } = usePart((state) => state.results);
  const { snapshot } = explorer;
  if (problem) return <div class="exirviz-results exirviz-problem">{problem}</div>;
  if (nodes.length === 0) return <div class="exirviz-results exirviz-nothing">No node is like that.</div>;
  return (
    <div class="exirviz-results" role="listbox" aria-label="Found">
      {nodes.slice(0, MOST).map((node, i) => {
        const { graph, position } = snapshot.locate(node);
        const scope = snapshot.scopes[snapshot.scopeOf(node)]?.path ?? "";
        return (
          <button
            type="button"
            role="option"
            aria-selected={i === at}
            key={node}
            class={i === at ? "is-on" : ""}
            onClick={() => void explorer.search.goTo(i)}
          >
            <b>{graph.name(position)}</b>
            <span class="exirviz-dim"> {opTitle(graph.op(position), graph.target(position), "")} </span>
            <code>{snapshot.valueText(node)}</code>
            <div class="exirviz-dim">{scope}</div>
          </button>
        );
      })}
      {nodes.length > MOST && (
        <p class="exirviz-dim">
          {(nodes.length - MOST).toLocaleString("en-US")} more: step through them with Enter.
        </p>
      )}
    </div>
  );
}
