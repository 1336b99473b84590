/** Detects that a file changed after it was read. */

/** Identifies a version of a file, such as its time and size; "" if unknown. */
type Stamp = () => Promise<string>;

export class ChangeWatch {
  private seen = "";
  private request = 0;

  constructor(
    private readonly stamp: Stamp,
    private readonly onChange: () => void,
  ) {}

  /** The current version is the one that is being read. */
  async start(): Promise<void> {
    const request = ++this.request;
    const now = await this.ask();
    if (request === this.request) this.seen = now;
  }

  /** Reports each version once. */
  async check(): Promise<void> {
    const request = this.request;
    const now = await this.ask();
    if (request !== this.request || !now || now === this.seen) return;
    const isFirst = !this.seen;
    this.seen = now;
    if (isFirst) return;
    this.onChange();
  }

  /** A missing file or a server that does not answer is not a new version. */
  private ask(): Promise<string> {
    return this.stamp().catch(() => "");
  }
}
