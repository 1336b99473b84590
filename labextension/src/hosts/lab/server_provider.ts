/** Files read by the extension of Jupyter's server, `exir_viz/server`. */
import { type Contents, ServerConnection } from "@jupyterlab/services";
import { asProblem, type FileProvider, UnreadableFile } from "../../documents/provider";
import type { Translation } from "../translation";

/** Drives with files of Jupyter's server: its own, and that of jupyter-collaboration. */
const OF_SERVER = ["", "RTC"];

type Ask = (url: string, init: RequestInit) => Promise<Response>;

export class ServerProvider implements FileProvider {
  constructor(
    private readonly contents: Pick<Contents.IManager, "driveName" | "localPath">,
    private readonly settings: Pick<ServerConnection.ISettings, "baseUrl">,
    private readonly trans: Translation,
    private readonly ask: Ask = (url, init) =>
      ServerConnection.makeRequest(url, init, settings as ServerConnection.ISettings),
  ) {}

  program(path: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.fetch("program", { path }, signal);
  }

  diff(a: string, b: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.fetch("diff", { a, b }, signal);
  }

  stages(path: string, a: string, b: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.fetch("stages", { path }, signal, { a, b });
  }

  private async fetch(
    what: string,
    paths: Readonly<Record<string, string>>,
    signal: AbortSignal,
    options: Readonly<Record<string, string>> = {},
  ): Promise<Uint8Array> {
    const query = new URLSearchParams(options);
    for (const [name, path] of Object.entries(paths)) query.set(name, this.onServer(path));
    const answer = await this.ask(`${this.settings.baseUrl}exir-viz/${what}?${query}`, { signal });
    if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
    const problem = asProblem(await answer.json().catch(() => undefined));
    if (problem) throw new UnreadableFile(problem);
    const [first = "", second] = Object.values(paths);
    const file = second === undefined ? first : this.trans.__("%1 and %2", first, second);
    throw new UnreadableFile({
      file,
      ...(answer.status === 404 ? noExtension(this.trans) : refused(answer, this.trans)),
    });
  }

  private onServer(path: string): string {
    const drive = this.contents.driveName(path);
    const file = this.contents.localPath(path);
    if (OF_SERVER.includes(drive)) return file;
    throw new UnreadableFile({
      file,
      reason: this.trans.__("It is on the drive %1, which Jupyter's server cannot read", drive),
      remedy: this.trans.__("Copy the file to a folder of Jupyter's own file browser, and open it there."),
    });
  }
}

const noExtension = (trans: Translation) => ({
  reason: trans.__("Jupyter's server does not have the extension %1", "exir_viz.server"),
  remedy: trans.__(
    "Install exir-viz where Jupyter's server is installed, and start the server again. %1 says whether it is enabled.",
    "`jupyter server extension list`",
  ),
});

const refused = ({ status, statusText }: Response, trans: Translation) => ({
  reason: trans.__("Jupyter's server answered %1", `${status} ${statusText}`.trim()),
  remedy:
    status === 403
      ? trans.__("Sign in again, and reload this page.")
      : trans.__("Try again, or look at the server's log."),
});
