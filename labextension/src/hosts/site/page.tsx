/** The site's page: a bar with actions for the open file, or the front page, and the file itself. */
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { ReaderState } from "../../documents/pyodide/provider";
import { PROGRAM_FILES } from "../files";
import { PROGRAM_ICON_SVG } from "../icon";
import type { Site } from "./site";
import type { SiteFiles } from "./site_files";

const NAMES = PROGRAM_FILES.map(({ extension }) => extension);
/** For the browser's dialog; ExecuTorch's examples name an ETRecord ".bin". */
const ACCEPTED = [...NAMES, ".bin"].join(",");
const ICON = `data:image/svg+xml,${encodeURIComponent(PROGRAM_ICON_SVG)}`;

interface Props {
  readonly site: Site;
  readonly files: SiteFiles;
  readonly onStart: (place: HTMLElement) => void;
}

export function SitePage({ site, files, onStart }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [, update] = useReducer((count: number) => count + 1, 0);
  useEffect(() => site.subscribe(() => update(0)), [site]);
  useEffect(() => {
    if (place.current) onStart(place.current);
    const back = (): void => site.showFrontPage();
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, [site, onStart]);
  const isDragged = useDroppedFiles((dropped) => void site.open(dropped));
  const { file, message, reader } = site.state;
  return (
    <div class="exirviz-site">
      <header class="exirviz-site-bar">
        <a class="exirviz-site-home" href="./" onClick={(event) => goHome(event, site)}>
          <img src={ICON} alt="" width="18" height="18" />
          exir_viz
        </a>
        {file && <FileActions site={site} file={file} />}
        <span class="exirviz-site-message" role="status">
          {message}
        </span>
      </header>
      {!file && <FrontPage site={site} files={files} />}
      {file && reader.kind !== "ready" && <Loading reader={reader} />}
      <div class="exirviz-site-file" hidden={!file} ref={place} />
      {isDragged && <p class="exirviz-site-drop">Drop a file to open it, or two to compare them</p>}
    </div>
  );
}

function FileActions({ site, file }: { site: Site; file: string }) {
  return (
    <>
      <strong class="exirviz-site-name" title={file}>
        {file}
      </strong>
      <FileButton
        label="Open…"
        title="Open another file, or two to compare"
        many
        onFiles={(all) => site.open(all)}
      />
      <FileButton
        label="Compare with…"
        title="Show what changed from this file to another"
        onFiles={([other]) => other && site.compareWith(other)}
      />
      <button
        type="button"
        class="exirviz-button"
        title="Save what is shown as one HTML file that opens anywhere"
        onClick={() => void site.savePage()}
      >
        Save as page
      </button>
      <button
        type="button"
        class="exirviz-button"
        title="Save a notebook that loads this file; lower and profile the program there"
        onClick={() => site.saveNotebook()}
      >
        Explore in a notebook
      </button>
    </>
  );
}

function FrontPage({ site, files }: { site: Site; files: SiteFiles }) {
  return (
    <main class="exirviz-site-front">
      <h1>See what torch.export and ExecuTorch made of a model</h1>
      <p>Its modules and ops, shapes, source lines and delegates; two files side by side.</p>
      <div class="exirviz-site-zone">
        <p>
          Drop a file here
          <small>{NAMES.join(" · ")} · two files to compare them</small>
        </p>
        <FileButton
          label="Choose a file"
          title="Open a file, or two to compare"
          many
          onFiles={(all) => site.open(all)}
        />
      </div>
      {files.samples.length > 0 && (
        <p class="exirviz-site-samples">
          No file at hand? Open{" "}
          {files.samples.map(({ path, title }) => (
            <button
              type="button"
              class="exirviz-button"
              key={path}
              onClick={() => void site.openAddress(new URL(path, location.href))}
            >
              {title}
            </button>
          ))}
        </p>
      )}
      <form class="exirviz-site-address" onSubmit={(event) => goToAddress(event)}>
        <label for="exirviz-site-url">From an address</label>
        <input id="exirviz-site-url" name="url" type="url" required placeholder="https://…/model.pt2" />
        <button type="submit" class="exirviz-button">
          Open
        </button>
      </form>
      <p class="exirviz-site-promise">
        Files stay on this computer: Python reads them in this tab, and nothing in them is executed.
        {site.state.isKept && " This page also works without a network."}
      </p>
      <Loading reader={site.state.reader} />
    </main>
  );
}

/** The progress of loading Python. */
function Loading({ reader }: { reader: ReaderState }) {
  if (reader.kind === "failed")
    return (
      <p class="exirviz-site-loading" role="alert">
        Python ended in this tab: {reader.reason} Open a file to start it again.
      </p>
    );
  if (reader.kind === "ready") return null;
  return (
    <p class="exirviz-site-loading">
      <label>
        Loading Python <progress value={reader.loaded} />
      </label>
    </p>
  );
}

interface FileButtonProps {
  readonly label: string;
  readonly title: string;
  readonly many?: boolean;
  readonly onFiles: (files: File[]) => unknown;
}

/** A button that opens the file dialog. */
function FileButton({ label, title, many = false, onFiles }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const take = (): void => {
    const { current } = input;
    const chosen = [...(current?.files ?? [])];
    if (current) current.value = ""; // allow choosing the same file again
    if (chosen.length > 0) void onFiles(chosen);
  };
  return (
    <>
      <button type="button" class="exirviz-button" title={title} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={many}
        accept={ACCEPTED}
        aria-label={title}
        onChange={take}
      />
    </>
  );
}

/** Whether files are dragged over the page; it accepts them anywhere. */
function useDroppedFiles(onFiles: (files: File[]) => void): boolean {
  const [isDragged, setDragged] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setDragged(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setDragged(false);
    };
    const drop = (event: DragEvent): void => {
      setDragged(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      onFiles(files);
    };
    const ended = new AbortController();
    addEventListener("dragover", over, ended);
    addEventListener("dragleave", leave, ended);
    addEventListener("drop", drop, ended);
    return () => ended.abort();
  }, [onFiles]);
  return isDragged;
}

function goHome(event: MouseEvent, site: Site): void {
  event.preventDefault();
  history.pushState(null, "", "./");
  site.showFrontPage();
}

/** Reloads the page, because its policy must name the source of the file. */
function goToAddress(event: SubmitEvent): void {
  event.preventDefault();
  const data = new FormData(event.currentTarget as HTMLFormElement);
  location.assign(`?url=${encodeURIComponent(String(data.get("url")))}`);
}
