// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import { UnreadableFile } from "../../src/documents/provider";
import type { Port } from "../../src/documents/pyodide/provider";
import { PageProvider, readerAddress } from "../../src/hosts/lab/page_provider";
import { ENGLISH } from "../../src/hosts/translation";
import { eventually } from "../eventually";

const { signal } = new AbortController();

test("the page's configuration says where the reader is, relative to Jupyter", () => {
  const configuration = document.body.appendChild(document.createElement("script"));
  configuration.type = "application/json";
  const addressWith = (option: string): string | undefined => {
    configuration.id = "jupyter-config-data";
    configuration.textContent = option;
    return readerAddress(document, "https://host/a/");
  };
  expect(addressWith("")).toBeUndefined();
  expect(addressWith('{"baseUrl": "/a/"}')).toBeUndefined();
  expect(addressWith('{"exirVizReader": "exir_viz"}')).toBe("https://host/a/exir_viz/");
  expect(addressWith('{"exirVizReader": "https://other/reader/"}')).toBe("https://other/reader/");
});

test.each([
  ["it is not there", () => Promise.resolve(new Response("", { status: 404 })), "the server answered 404"],
  ["there is no network", () => Promise.reject(new TypeError("no network")), "no network"],
])("a reader that cannot be loaded is named, and the next file tries again: %s", async (_, ask, reason) => {
  const fetched = vi.fn<(url: string) => Promise<Response>>(ask);
  const provider = new PageProvider("https://host/exir_viz/", { get: vi.fn() }, ENGLISH, fetched);
  for (let i = 0; i < 2; i++) {
    const thrown = await provider.program("a.pt2", signal).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(UnreadableFile);
    expect((thrown as UnreadableFile).problem).toMatchObject({
      file: "https://host/exir_viz/site.json",
      reason: `The reader of exir_viz cannot be loaded: ${reason.startsWith("no") ? `TypeError: ${reason}` : reason}`,
    });
  }
  expect(fetched).toHaveBeenCalledTimes(2);
});

test("a document that waits for a program gets the share of Python that is loaded", async () => {
  const port: Port = { postMessage: vi.fn(), terminate: vi.fn(), onmessage: null, onerror: null };
  const get = vi.fn(async () => ({ content: btoa("a"), format: "base64" }) as never);
  const ask = async (): Promise<Response> => Response.json({ reader: { "python/one": 30 } });
  const provider = new PageProvider("https://host/exir_viz/", { get }, ENGLISH, ask, () => port);
  const shares: number[] = [];
  const fetched = provider.program("a.pt2", signal, (loaded) => shares.push(loaded));
  await eventually(() => expect(port.postMessage).toHaveBeenCalledTimes(2)); // to start, and to read
  port.onmessage?.({ data: { kind: "progress", loaded: 0.5 } } as never);
  port.onmessage?.({ data: { kind: "ready" } } as never);
  const bytes = new TextEncoder().encode("ok");
  port.onmessage?.({ data: { kind: "answer", id: 1, bytes } } as never);
  expect(await fetched).toBe(bytes);
  port.onmessage?.({ data: { kind: "progress", loaded: 0.75 } } as never);
  expect(shares).toEqual([0, 0.5, 1]);
});
