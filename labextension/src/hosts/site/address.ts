/** The address of a file, as the page's own address has it: `?url=https://…/model.pt2`. */

/** Undefined where there is none that a page may ask for. */
export function fileAddress(search: string): URL | undefined {
  const text = new URLSearchParams(search).get("url");
  if (!text || !URL.canParse(text)) return undefined;
  const address = new URL(text);
  return address.protocol === "https:" || address.protocol === "http:" ? address : undefined;
}

/** What the page may do, as Content-Security-Policy says it. */
export function policyFor(search: string): string {
  const address = fileAddress(search);
  return [
    "default-src 'none'",
    // Workers are scripts of the page's own, as blobs: they are bound by this policy too.
    "script-src 'self' blob: 'wasm-unsafe-eval'",
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    `connect-src 'self'${address ? ` ${address.origin}` : ""}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The last part of its path, as a name for the file. */
export function fileNameOf(address: URL): string {
  const last = address.pathname.split("/").filter(Boolean).at(-1) ?? "";
  try {
    return decodeURIComponent(last).replaceAll("/", "_") || address.hostname;
  } catch {
    return last;
  }
}
