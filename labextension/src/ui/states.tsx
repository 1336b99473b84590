/** Empty, busy and failed states: each says what would be here, what is being done, or what to do next. */
import type { ComponentChildren } from "preact";
import type { DetailState } from "./actions";
import { visible } from "./text";

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="exirviz-state">
      <p class="exirviz-state-title">{title}</p>
      {children && <p class="exirviz-dim">{children}</p>}
    </div>
  );
}

export function Busy({ what, onStop }: { what: string; onStop?: () => void }) {
  return (
    <div class="exirviz-state" role="status">
      <span class="exirviz-loading-bar" aria-hidden="true" />
      <p class="exirviz-dim">{what}</p>
      {onStop && (
        <button type="button" class="exirviz-panel-button" onClick={onStop}>
          Stop
        </button>
      )}
    </div>
  );
}

export function Failed({ what, why, onRetry }: { what: string; why: string; onRetry?: () => void }) {
  return (
    <div class="exirviz-state" role="alert">
      <p class="exirviz-state-title exirviz-bad">{what}</p>
      <p class="exirviz-dim">{visible(why)}</p>
      {onRetry && (
        <button type="button" class="exirviz-panel-button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The placeholder of a part that needs the detail, until that is loaded. */
export function DetailWait({ detail, what }: { detail: DetailState; what: string }) {
  if (detail.state === "failed") {
    return <Failed what={`${what} could not be read`} why={detail.problem} onRetry={detail.retry} />;
  }
  return <Busy what={`Reading ${what.toLowerCase()}…`} />;
}
