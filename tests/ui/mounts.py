"""The notebook's module on a bare page, with any number of explorers, and no kernel.

The page contains the module and a Snapshot as text. It imports the module anew for each explorer, as a
notebook does, and answers the module's questions like a kernel.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

from exir_viz.snapshot.wire import encode_detail, encode_skeleton
from exir_viz.types import Snapshot
from exir_viz.widget import __file__ as widget

STATIC = Path(widget).parent / "static"

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>mounts</title>
<style>body {{ margin: 0 }} .place {{ width: 900px }}
{style}</style></head><body>
<script type="application/json" id="carried">{carried}</script>
<script type="module">
const carried = JSON.parse(document.getElementById("carried").textContent);
const bytes = text => Uint8Array.from(atob(text), char => char.charCodeAt(0));
const sections = {{ skeleton: bytes(carried.skeleton), detail: bytes(carried.detail) }};
const script = new Blob([carried.script], {{ type: "text/javascript" }});
globalThis.widgets = [];

/** What the module may use of a kernel's model; `listening` counts who has not gone. */
function modelOf(state) {{
  const listeners = new Map();
  return {{
    state,
    get: name => state[name],
    set: (name, value) => {{ state[name] = value }},
    save_changes: () => undefined,
    on: (event, call) => listeners.set(event, new Set(listeners.get(event)).add(call)),
    off: (event, call) => listeners.get(event)?.delete(call),
    send(message) {{
      const answer = {{ kind: message.what, to: message.from }};
      const bytes = sections[message.what];
      const buffers = bytes ? [new DataView(bytes.slice().buffer)] : [];
      queueMicrotask(() => this.tell("msg:custom", answer, buffers));
    }},
    tell: (event, ...what) => {{ for (const call of listeners.get(event) ?? []) call(...what) }},
    listening: () => [...listeners.values()].reduce((count, each) => count + each.size, 0),
  }};
}}

globalThis.mounts = [];
globalThis.mount = async (options = {{}}) => {{
  const place = document.createElement("div");
  place.className = "place";
  document.body.append(place);
  const state = {{ title: "m", height: 400, appearance: "light", selection: [], view: {{}} }};
  const model = modelOf({{ ...state, ...options }});
  const url = URL.createObjectURL(script);
  const widget = (await import(url)).default;
  URL.revokeObjectURL(url);
  widgets.push(widget);
  const cleanup = await widget.render({{ model, el: place }});
  const mounted = {{ model, place, dispose() {{ cleanup(); place.remove() }} }};
  mounts.push(mounted);
  return mounts.length - 1;
}};
globalThis.isReady = true;
</script></body></html>"""


def mounts_page(snapshot: Snapshot) -> str:
    """The page's text; `mount(options)` in it makes one more explorer and `mounts[i].dispose()` ends one."""
    carried = {
        "script": (STATIC / "widget.js").read_text(encoding="utf-8"),
        "skeleton": base64.b64encode(encode_skeleton(snapshot)).decode(),
        "detail": base64.b64encode(encode_detail(snapshot)).decode(),
    }
    text = json.dumps(carried).replace("<", "\\u003c")
    style = (STATIC / "explorer.css").read_text(encoding="utf-8")
    return _PAGE.format(style=style, carried=text)
