/** Answers as the server makes them, and providers that give them. */
import { deflateSync } from "node:zlib";
import { type FileProvider, UnreadableFile } from "../../src/documents/provider";
import { SCHEMA } from "../../src/snapshot";

/** The container of `exir_viz/snapshot/wire.py`. */
export function container(sections: Readonly<Record<string, unknown>>): Uint8Array {
  const packed = Object.entries(sections).map(([name, section]) => {
    const raw = Buffer.from(JSON.stringify(section));
    return { name, raw, data: deflateSync(raw) };
  });
  const described = packed.map(({ name, raw, data }) => ({
    name,
    packed: data.length,
    bytes: raw.length,
    crc32: 0,
  }));
  const header = Buffer.from(JSON.stringify({ schema: SCHEMA, sections: described }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(header.length);
  return new Uint8Array(
    Buffer.concat([Buffer.from("EXIRVIZ\n"), length, header, ...packed.map(({ data }) => data)]),
  );
}

export const refused = (reason: string): UnreadableFile =>
  new UnreadableFile({ file: "model.pt2", reason, remedy: "Save it again.", member: "models/model.json" });

/** Gives prepared answers and records requests. */
export class FakeProvider implements FileProvider {
  readonly requests: string[] = [];
  readonly signals: AbortSignal[] = [];
  answer: () => Promise<Uint8Array> = async () => new Uint8Array();
  /** How much of the reader is loaded, for the last program that was asked for. */
  onLoading: (loaded: number) => void = () => undefined;

  program(path: string, signal: AbortSignal, onLoading = this.onLoading): Promise<Uint8Array> {
    this.onLoading = onLoading;
    return this.note(path, signal);
  }

  diff(a: string, b: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.note(`${a} → ${b}`, signal);
  }

  stages(path: string, a: string, b: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.note(`${path}: ${a} → ${b}`, signal);
  }

  private note(what: string, signal: AbortSignal): Promise<Uint8Array> {
    this.requests.push(what);
    this.signals.push(signal);
    return this.answer();
  }
}
