/** A button that copies a text and confirms it for a moment. */
import { useEffect, useState } from "preact/hooks";
import type { Actions } from "./actions";

/** Milliseconds for which the confirmation is shown. */
const CONFIRMATION = 1400;

export function Copy({ actions, text, what }: { actions: Actions; text: string; what: string }) {
  const [state, setState] = useState<"" | "copied" | "not copied">("");
  useEffect(() => {
    if (!state) return undefined;
    const timer = setTimeout(() => setState(""), CONFIRMATION);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void => {
    actions.copy(text).then(
      () => setState("copied"),
      () => setState("not copied"),
    );
  };
  return (
    <button
      type="button"
      class="exirviz-copy"
      title={`Copy ${what}`}
      aria-label={`Copy ${what}`}
      onClick={copy}
    >
      <span aria-live="polite">{state || what}</span>
    </button>
  );
}
