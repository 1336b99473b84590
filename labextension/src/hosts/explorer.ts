/**
 * The one component that every host mounts: what a program is called and its text.
 *
 * Everything that comes from a program is set as text, never as markup. A mount owns what it added to the page and
 * nothing else; `dispose` takes exactly that away again.
 */
export interface ExplorerContent {
  readonly title: string;
  readonly text: string;
}

export interface Explorer {
  show(content: ExplorerContent): void;
  dispose(): void;
}

export function mountExplorer(host: HTMLElement, content: ExplorerContent): Explorer {
  const root = host.ownerDocument.createElement("section");
  root.className = "exirviz-explorer";
  const heading = root.appendChild(host.ownerDocument.createElement("h2"));
  const listing = root.appendChild(host.ownerDocument.createElement("pre"));

  const show = ({ title, text }: ExplorerContent): void => {
    heading.textContent = title;
    listing.textContent = text;
    root.setAttribute("aria-label", title);
  };

  show(content);
  host.append(root);
  return { show, dispose: () => root.remove() };
}
