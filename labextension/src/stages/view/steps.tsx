/** All steps from a stage: what each does, and why some cannot be done. */
import type { JSX } from "preact";
import { visible } from "../../ui/text";
import type { Offer, StageRecord } from "../schema";
import { whyNot } from "../stage_text";
import { Dock } from "./dock";

interface StepsProps {
  readonly record: StageRecord;
  /** Why no step can be run here; empty where it can. */
  readonly reason: string;
  readonly onOffer: (offer: Offer) => void;
  readonly onClose: () => void;
}

export function Steps({ record, reason, onOffer, onClose }: StepsProps): JSX.Element {
  const { offers = [] } = record;
  const name = visible(record.name);
  return (
    <Dock label={`Steps from ${name}`} title={`Next steps from ${name}`} onClose={onClose}>
      {reason && <p class="exirviz-dock-text">{visible(reason)}</p>}
      {offers.length === 0 && !reason && (
        <p class="exirviz-dock-text">No further steps. Select an earlier stage to branch.</p>
      )}
      <ul class="exirviz-steps-list">
        {offers.map((offer) => {
          const not = whyNot(offer);
          const why = not || reason;
          return (
            <li key={offer.kind}>
              <button
                type="button"
                class="exirviz-pill exirviz-offer"
                aria-disabled={why !== ""}
                title={visible(why || offer.about)}
                aria-label={visible(why ? `${offer.title}, unavailable: ${why}` : offer.title)}
                onClick={() => !why && onOffer(offer)}
              >
                + {visible(offer.title)}
                {offer.options?.length ? "…" : ""}
              </button>
              <span class="exirviz-step-about">
                {visible(offer.about)}
                {not && <span class="exirviz-why"> Unavailable: {visible(not)}</span>}
              </span>
            </li>
          );
        })}
      </ul>
    </Dock>
  );
}
