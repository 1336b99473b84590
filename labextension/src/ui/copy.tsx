/** A button that copies a text and confirms it for a moment. */
import { useEffect, useState } from "preact/hooks";
import type { Actions } from "./actions";

/** Milliseconds for which the confirmation is shown. */
const SAID = 1400;

export function Copy({ actions, text, what }: { actions: Actions; text: string; what: string }) {
  const [said, say] = useState<"" | "copied" | "not copied">("");
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => say(""), SAID);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void => {
    actions.copy(text).then(
      () => say("copied"),
      () => say("not copied"),
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
      <span aria-live="polite">{said || what}</span>
    </button>
  );
}
