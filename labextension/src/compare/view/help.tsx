/** The keys of a comparison. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { DialogBackdrop, isMac } from "../../frame/dialog_backdrop";
import { keyCaps } from "../../ui/shortcuts";
import { OWN_KEYS, SHARED_KEYS } from "../columns/shortcuts";
import { useColumns } from "./context";

export function PairHelp(): JSX.Element {
  const columns = useColumns();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  const close = (): void => columns.store.set({ isHelpOpen: false });
  const isOnMac = isMac();
  return (
    <DialogBackdrop onClose={close}>
      <div class="exirviz-help" role="dialog" aria-modal="true" aria-label="Keyboard" ref={box} tabIndex={-1}>
        <header class="exirviz-help-head">
          <h2>Keyboard</h2>
          <button type="button" class="exirviz-panel-button" onClick={close}>
            Close
          </button>
        </header>
        <div class="exirviz-help-groups">
          {[
            { title: "Compare", keys: OWN_KEYS },
            { title: "In the focused graph", keys: SHARED_KEYS },
          ].map((group) => (
            <section key={group.title}>
              <h4>{group.title}</h4>
              <dl class="exirviz-keys">
                {group.keys.map(({ keys, does }) => (
                  <div key={does}>
                    <dt>
                      {keyCaps(keys[0] ?? "", isOnMac).map((cap) => (
                        <kbd key={cap}>{cap}</kbd>
                      ))}
                    </dt>
                    <dd>{does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </div>
    </DialogBackdrop>
  );
}
