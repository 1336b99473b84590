/** Files read by the extension of Jupyter's server, `exir_viz/server`. */
import { type Contents, ServerConnection } from "@jupyterlab/services";
import { asProblem, type FileProvider, UnreadableFile } from "../../documents/provider";

/** Drives with files of Jupyter's server: its own, and that of jupyter-collaboration. */
const OF_SERVER = ["", "RTC"];

type Ask = (url: string, init: RequestInit) => Promise<Response>;

export class ServerProvider implements FileProvider {
  constructor(
    private readonly contents: Pick<Contents.IManager, "driveName" | "localPath">,
    private readonly settings: Pick<ServerConnection.ISettings, "baseUrl">,
    private readonly ask: Ask = (url, init) =>
      ServerConnection.makeRequest(url, init, settings as ServerConnection.ISettings),
  ) {}

  program(path: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.fetch("program", { path }, signal);
  }

  diff(a: string, b: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.fetch("diff", { a, b }, signal);
  }

  private async fetch(
    what: string,
    paths: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const query = new URLSearchParams();
    for (const [name, path] of Object.entries(paths)) query.set(name, this.onServer(path));
    const answer = await this.ask(`${this.settings.baseUrl}exir-viz/${what}?${query}`, { signal });
    if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
    const problem = asProblem(await answer.json().catch(() => undefined));
    if (problem) throw new UnreadableFile(problem);
    const file = Object.values(paths).join(" and ");
    throw new UnreadableFile({ file, ...(answer.status === 404 ? NO_EXTENSION : refused(answer)) });
  }

  private onServer(path: string): string {
    const drive = this.contents.driveName(path);
    const file = this.contents.localPath(path);
    if (OF_SERVER.includes(drive)) return file;
    throw new UnreadableFile({
      file,
      reason: `It is on the drive ${drive}, which Jupyter's server cannot read`,
      remedy: "Copy the file to a folder of Jupyter's own file browser, and open it there.",
    });
  }
}

const NO_EXTENSION = {
  reason: "Jupyter's server does not have the extension exir_viz.server",
  remedy:
    "Install exir-viz where Jupyter's server is installed, and start the server again. " +
    "`jupyter server extension list` says whether it is enabled.",
};

const refused = ({ status, statusText }: Response) => ({
  reason: `Jupyter's server answered ${status} ${statusText}`,
  remedy: status === 403 ? "Sign in again, and reload this page." : "Try again, or look at the server's log.",
});
