/** The static site: dropped files are read in this tab and shown as in other hosts. */
import { render } from "preact";
import { fileAddress } from "./address";
import { SitePage } from "./page";
import { Site } from "./site";
import type { SiteFiles } from "./site_files";

async function start(): Promise<void> {
  const answer = await fetch("site.json");
  const files: SiteFiles = await answer.json();
  const site = new Site(new URL(".", location.href).href, files);
  const onStart = (place: HTMLElement): void => {
    site.start(place);
    const address = fileAddress(location.search);
    if (address) void site.openAddress(address);
  };
  render(<SitePage site={site} files={files} onStart={onStart} />, document.body);
  Object.assign(globalThis, { exirvizSite: site });
}

void start();
