/**
 * Makes the site work without a network after the first visit: keeps its files, and answers with them. Another build
 * has another version in this script, and thus another cache; it takes over once no tab shows the older one.
 */
import type { SiteFiles } from "./site_files";

interface Lifetime extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface Asked extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface Scope {
  /** `scripts/site.py` writes it in front of this script. */
  readonly VERSION: string;
  readonly location: Location;
  addEventListener(kind: "install" | "activate", listen: (event: Lifetime) => void): void;
  addEventListener(kind: "fetch", listen: (event: Asked) => void): void;
}

const PREFIX = "exir_viz ";
const scope = globalThis as unknown as Scope;
const cacheName = PREFIX + scope.VERSION;

scope.addEventListener("install", (event) => event.waitUntil(keep()));
scope.addEventListener("activate", (event) => event.waitUntil(forget()));
scope.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && new URL(event.request.url).origin === scope.location.origin)
    event.respondWith(answer(event.request));
});

async function keep(): Promise<void> {
  const answer = await fetch("site.json", { cache: "no-cache" });
  const { offline }: SiteFiles = await answer.json();
  const requests = offline.map((path) => new Request(path, { cache: "no-cache" }));
  await (await caches.open(cacheName)).addAll(requests);
}

async function forget(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== cacheName);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** What is kept; of the page itself the address does not matter, which names a file or a view. */
async function answer(request: Request): Promise<Response> {
  const kept = await caches.match(request, { cacheName, ignoreSearch: request.mode === "navigate" });
  return kept ?? fetch(request);
}
