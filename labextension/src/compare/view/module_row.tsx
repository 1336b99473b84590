/** A row about a module; a click selects its box. The whole model has no box. */
import type { ComponentChildren, JSX } from "preact";
import { visible } from "../../ui/text";
import type { ModuleChange } from "../model/schema";
import { useColumns } from "./context";

interface ModulePressProps {
  readonly module: ModuleChange;
  readonly title: string;
  readonly more?: string;
  readonly children: ComponentChildren;
}

export function ModulePress({ module, title, more = "", children }: ModulePressProps): JSX.Element {
  const columns = useColumns();
  const scopes = [module.a, module.b] as const;
  const shown = { class: `exirviz-rule${more}`, title: visible(title) };
  if (!columns.drawn(scopes)) return <div {...shown}>{children}</div>;
  return (
    <button type="button" {...shown} onClick={() => void columns.showModule(scopes)}>
      {children}
    </button>
  );
}
