/** All steps from a stage: what each does; unavailable ones are folded, with the reason. */
import type { JSX } from "preact";
import { plural, visible } from "../../ui/text";
import type { Offer, StageRecord } from "../schema";
import { whyNot } from "../stage_text";
import { Dock } from "./dock";

interface StepsProps {
  readonly record: StageRecord;
  /** Why no step can be run here; empty if steps can be run. */
  readonly reason: string;
  readonly onOffer: (offer: Offer) => void;
  /** Actions for a stage without next steps. */
  readonly finals?: readonly FinalAction[] | undefined;
  readonly onClose: () => void;
}

export function Steps({ record, reason, onOffer, finals = [], onClose }: StepsProps): JSX.Element {
  const { offers = [] } = record;
  const name = visible(record.name);
  const row = (offer: Offer): JSX.Element => (
    <Row
      key={offer.kind}
      title={`+ ${visible(offer.title)}${offer.options?.length ? "…" : ""}`}
      label={offer.title}
      about={offer.about}
      why={whyNot(offer)}
      reason={reason}
      onRun={() => onOffer(offer)}
    />
  );
  const final = (action: FinalAction): JSX.Element => (
    <Row
      key={action.title}
      title={visible(action.title)}
      label={action.title}
      about={action.about}
      why={action.reason}
      // what only shows something needs no kernel
      reason={action.reason === reason ? reason : ""}
      onRun={action.run}
    />
  );
  const unavailable = [
    ...finals.filter(({ reason }) => reason !== "").map(final),
    ...offers.filter((offer) => whyNot(offer) !== "").map(row),
  ];
  return (
    <Dock label={`Steps from ${name}`} title={`Next steps from ${name}`} onClose={onClose}>
      {reason && <p class="exirviz-dock-text">{visible(reason)}</p>}
      {offers.length + finals.length === 0 && !reason && (
        <p class="exirviz-dock-text">No further steps. Select an earlier stage to branch.</p>
      )}
      <ul class="exirviz-steps-list">
        {finals.filter(({ reason }) => reason === "").map(final)}
        {offers.filter((offer) => whyNot(offer) === "").map(row)}
      </ul>
      {unavailable.length > 0 && (
        <details class="exirviz-message">
          <summary>{plural(unavailable.length, "unavailable step")}</summary>
          <ul class="exirviz-steps-list">{unavailable}</ul>
        </details>
      )}
    </Dock>
  );
}

interface RowProps {
  readonly title: string;
  readonly label: string;
  readonly about: string;
  /** Why it is unavailable from this stage or here; empty if it is available. */
  readonly why: string;
  readonly reason: string;
  readonly onRun: () => void;
}

function Row({ title, label, about, why, reason, onRun }: RowProps): JSX.Element {
  const not = why || reason;
  return (
    <li>
      <button
        type="button"
        class="exirviz-pill exirviz-offer"
        aria-disabled={not !== ""}
        title={visible(not || about)}
        aria-label={visible(not ? `${label}, unavailable: ${not}` : label)}
        onClick={() => !not && onRun()}
      >
        {title}
      </button>
      <span class="exirviz-step-about">
        {visible(about)}
        {why && why !== reason && !about.includes(why) && (
          <span class="exirviz-why"> Unavailable: {visible(why)}</span>
        )}
      </span>
    </li>
  );
}

/** An action for a stage without next steps, such as a program that the runtime can run. */
export interface FinalAction {
  readonly title: string;
  readonly about: string;
  /** Why it is unavailable here; empty if it is available. */
  readonly reason: string;
  readonly run: () => void;
}
