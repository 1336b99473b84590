/** Whether a file is still what was read. */

/** What tells two versions of a file apart, such as its time and size; "" where that is not known. */
type Stamp = () => Promise<string>;

export class ChangeWatch {
  private seen = "";
  private request = 0;

  constructor(
    private readonly stamp: Stamp,
    private readonly onChange: () => void,
  ) {}

  /** What is there now is what is read now. */
  async start(): Promise<void> {
    const request = ++this.request;
    const now = await this.ask();
    if (request === this.request) this.seen = now;
  }

  /** Tells of each version once. */
  async check(): Promise<void> {
    const request = this.request;
    const now = await this.ask();
    if (request !== this.request || !now || now === this.seen) return;
    const isFirst = !this.seen;
    this.seen = now;
    if (isFirst) return;
    this.onChange();
  }

  /** A file that is gone, or a server that does not answer, is no new version. */
  private ask(): Promise<string> {
    return this.stamp().catch(() => "");
  }
}
