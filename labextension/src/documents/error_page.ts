/** The page for a file that cannot be read: what happened, why, what to do. Its text is never markup. */
import type { Translation } from "../hosts/translation";
import type { Problem } from "./schema";

type Button = readonly [label: string, act: () => void];

export function errorPage(
  document: Document,
  problem: Problem,
  buttons: readonly Button[],
  trans: Translation,
): HTMLElement {
  const add = (parent: HTMLElement, tag: string, text: string): HTMLElement => {
    const child = parent.appendChild(document.createElement(tag));
    child.textContent = text;
    return child;
  };
  const page = document.createElement("section");
  page.className = "exirviz-document-error";
  page.setAttribute("role", "alert");
  add(page, "h2", trans.__("Cannot open %1", problem.file));
  const facts = page.appendChild(document.createElement("dl"));
  const rows: readonly (readonly [string, string])[] = [
    [trans.__("Reason"), sentence(problem.reason)],
    ...(problem.member ? ([[trans.__("Part of the file"), problem.member]] as const) : []),
    [trans.__("What to do"), problem.remedy],
  ];
  for (const [term, text] of rows) {
    add(facts, "dt", term);
    add(facts, "dd", text);
  }
  const row = page.appendChild(document.createElement("p"));
  for (const [label, act] of buttons) {
    const button = add(row, "button", label);
    button.className = "exirviz-button";
    button.addEventListener("click", act);
  }
  add(page, "small", trans.__("Nothing in the file was executed."));
  return page;
}

/** The reason as a sentence. In an error message it is only a part of one. */
function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed.charAt(0).toUpperCase() + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? "" : ".");
}
