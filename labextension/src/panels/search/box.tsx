/**
 * The search box: a query with completions, the position of errors, and steps through the results. It holds
 * the text being typed; its owner holds the query that is run.
 */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Completer, type Completion, parse, QueryError } from "../../search";
import type { Snapshot } from "../../snapshot";
import { grouped } from "../../snapshot";
import { visible } from "../../ui/text";
import { useUniqueName } from "../../ui/unique_name";

interface SearchBoxProps {
  readonly snapshot: Snapshot;
  readonly query: string;
  /** What is searched. */
  readonly of?: string;
  /** The number of results; undefined while the search runs. */
  readonly count: number | undefined;
  /** The index of the current result; -1 for none. */
  readonly at: number;
  /** An error outside the query: the detail could not be read. */
  readonly problem?: string | undefined;
  readonly onQuery: (query: string) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose?: () => void;
  /** A click into the box. */
  readonly onOpen?: () => void;
}

export function SearchBox(props: SearchBoxProps) {
  const { snapshot, query, of = "ops", count, at, problem, onQuery, onStep, onClose, onOpen } = props;
  const input = useRef<HTMLInputElement>(null);
  const completer = useMemo(() => new Completer(snapshot), [snapshot]);
  const [list, setList] = useState<{ items: readonly Completion[]; at: number }>({ items: [], at: -1 });
  const id = useUniqueName("exirviz-found");
  const wrong = useMemo(() => errorOf(query), [query]);

  const offer = (): void => {
    const field = input.current;
    const caret = field?.selectionStart ?? field?.value.length ?? 0;
    const text = field?.value ?? "";
    // No completions for an empty box or for a complete word.
    const items = text.trim() ? completer.at(text, caret) : [];
    const isWritten = items.some(({ replace, text: whole }) => text.slice(replace.start, caret) === whole);
    setList({ items: isWritten ? [] : items, at: -1 });
  };
  const take = ({ replace, text }: Completion): void => {
    const next = query.slice(0, replace.start) + text + query.slice(replace.end);
    const caret = replace.start + text.length;
    setList({ items: [], at: -1 });
    onQuery(next);
    moveCaret.current = caret;
  };
  // The caret moves after the new text is rendered.
  const moveCaret = useRef<number | undefined>(undefined);
  useEffect(() => {
    const caret = moveCaret.current;
    if (caret === undefined) return;
    moveCaret.current = undefined;
    input.current?.focus();
    input.current?.setSelectionRange(caret, caret);
    if (query[caret - 1] === ":") offer();
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const chosen = list.items[list.at];
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && list.items.length > 0) {
      const by = event.key === "ArrowDown" ? 1 : -1;
      const next = list.at + by;
      setList({ ...list, at: next < -1 ? list.items.length - 1 : next >= list.items.length ? -1 : next });
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen) take(chosen);
    else if (event.key === "Enter") {
      setList({ items: [], at: -1 });
      onStep(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape" && list.items.length > 0) setList({ items: [], at: -1 });
    else if (event.key === "Escape") onClose?.();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search class="exirviz-search-panel">
      <div class={wrong ? "exirviz-search-box exirviz-search-wrong" : "exirviz-search-box"}>
        <span class="exirviz-search-field">
          {wrong && <Marked text={query} start={wrong.span.start} end={wrong.span.end} />}
          <input
            ref={input}
            type="text"
            class="exirviz-search-input"
            placeholder={`Search ${of}… (/)`}
            title="Search ops, modules, shapes… (/). Enter: next result, Shift-Enter: previous one"
            spellcheck={false}
            autocomplete="off"
            role="combobox"
            aria-label="Search nodes"
            aria-expanded={list.items.length > 0}
            aria-controls={id}
            aria-activedescendant={list.at >= 0 ? `${id}-${list.at}` : undefined}
            aria-autocomplete="list"
            aria-invalid={wrong !== undefined}
            value={query}
            onInput={(event) => {
              onQuery(event.currentTarget.value);
              offer();
            }}
            onClick={onOpen}
            onKeyDown={onKeyDown}
            onBlur={() => setList({ items: [], at: -1 })}
          />
        </span>
        {query.trim() !== "" && !wrong && (
          <span class="exirviz-search-count" role="status">
            {count === undefined ? "…" : countText(at, count)}
          </span>
        )}
      </div>
      {list.items.length > 0 && (
        <div class="exirviz-completions" id={id} role="listbox" aria-label="Completions">
          {list.items.map((item, i) => (
            <div
              key={item.label}
              id={`${id}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === list.at}
              class={i === list.at ? "exirviz-completion exirviz-completion-it" : "exirviz-completion"}
              // The field keeps the focus, so that the blur does not close the list first.
              onMouseDown={(event) => {
                event.preventDefault();
                take(item);
              }}
            >
              <code>{visible(item.label)}</code>
              <span class="exirviz-dim">{visible(item.note)}</span>
            </div>
          ))}
        </div>
      )}
      {wrong && list.items.length === 0 && (
        <div class="exirviz-search-error" role="alert">
          {visible(wrong.message)}
          {wrong.suggestions.length > 0 && (
            <span class="exirviz-names">
              {wrong.suggestions.map((text) => (
                <button
                  key={text}
                  type="button"
                  class="exirviz-panel-button"
                  onClick={() => take({ label: text, note: "", replace: wrong.span, text })}
                >
                  {text === "" ? "Remove" : text}
                </button>
              ))}
            </span>
          )}
        </div>
      )}
      {problem && !wrong && (
        <div class="exirviz-search-error" role="alert">
          {visible(problem)}
        </div>
      )}
    </search>
  );
}

/** The query again, invisible except a wavy line under the error; it is below the field. */
function Marked({ text, start, end }: { text: string; start: number; end: number }) {
  return (
    <span class="exirviz-search-marks" aria-hidden="true">
      {text.slice(0, start)}
      <mark>{text.slice(start, Math.max(end, start + 1)) || " "}</mark>
      {text.slice(end)}
    </span>
  );
}

function countText(at: number, count: number): string {
  if (count === 0) return "0 results";
  const all = grouped(count);
  return at < 0 ? all : `${grouped(at + 1)} of ${all}`;
}

function errorOf(query: string): QueryError | undefined {
  try {
    parse(query);
    return undefined;
  } catch (problem) {
    if (problem instanceof QueryError) return problem;
    throw problem;
  }
}
