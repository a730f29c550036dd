// Packs src/ into one script, one style sheet and the page, and writes them with a C++ table of them (api/dashboard/dashboard.h).
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));   // import.meta.dirname came with Node.js 20; Debian 12 has 18
const out = process.argv[2];

// The terminal styles itself with <style> elements and style attributes, which the page's policy refuses. It gets elements that fill
// style sheets of the document instead, and sets declarations one by one. A version of it where these places differ does not pack.
const PLACES = [
  [/(\w+(?:\.\w+)*)\.createElement\("style"\)/g, 3, "paddockStyle()"],
  [/(\w+)\.setAttribute\("style",(`[^`]*`)\)/g, 1, "$1.style.cssText=$2"],
];
const terminalStyles = {
  name: "terminal styles",
  setup(packing) {
    packing.onLoad({ filter: /@xterm\/xterm\/lib\/xterm\.mjs$/ }, ({ path }) => {
      let text = readFileSync(path, "utf8");
      for (const [pattern, count, replacement] of PLACES) {
        const found = text.match(pattern)?.length ?? 0;
        if (found !== count) throw new Error(`${path}: ${found} places of ${pattern}, not ${count}`);
        text = text.replace(pattern, replacement);
      }
      return { contents: `import { paddockStyle } from ${JSON.stringify(join(HERE, "src/terminal/style_element.ts"))};\n${text}`, loader: "js" };
    });
  },
};

const packed = await build({
  entryPoints: { app: join(HERE, "src/main.tsx") },
  outdir: out,
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  target: ["chrome110", "firefox115", "safari16.4"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "inline",
  logLevel: "warning",
  plugins: [terminalStyles],
});

const licenses = ["preact", "@xterm/xterm", "@xterm/addon-fit"]
  .map((name) => `${name}\n\n${readFileSync(join(HERE, "node_modules", name, "LICENSE"), "utf8").trim()}\n`)
  .join(`\n${"-".repeat(80)}\n\n`);
const contents = new Map(packed.outputFiles.map((file) => [file.path.slice(out.length + 1), Buffer.from(file.contents)]));
const files = [
  { path: "/", name: "index.html", type: "text/html; charset=utf-8", content: readFileSync(join(HERE, "src/index.html")) },
  { path: "/dashboard/app.js", name: "app.js", type: "text/javascript; charset=utf-8", content: contents.get("app.js") },
  { path: "/dashboard/app.css", name: "app.css", type: "text/css; charset=utf-8", content: contents.get("app.css") },
  { path: "/dashboard/icon.svg", name: "icon.svg", type: "image/svg+xml", content: readFileSync(join(HERE, "src/icon.svg")) },
  { path: "/dashboard/licenses.txt", name: "licenses.txt", type: "text/plain; charset=utf-8", content: Buffer.from(licenses) },
];

mkdirSync(out, { recursive: true });
let data = "";
let rows = "";
files.forEach((file, index) => {
  const gzip = gzipSync(file.content, { level: 9 });
  const etag = createHash("sha256").update(file.content).digest("base64url").slice(0, 27);
  writeFileSync(join(out, file.name), file.content);
  writeFileSync(join(out, `${file.name}.gz`), gzip);
  for (const [kind, name] of [["content", file.name], ["gzip", `${file.name}.gz`]]) {
    const symbol = `paddock_dashboard_${index}_${kind}`;
    data += `__asm__(".pushsection .rodata\\n${symbol}:\\n.incbin \\"${join(out, name)}\\"\\n.popsection");\n`;
    data += `extern "C" const char ${symbol}[];\n`;
  }
  const view = (kind, size) => `std::string_view(paddock_dashboard_${index}_${kind}, ${size})`;
  rows += `      {"${file.path}", "${file.type}", "\\"${etag}\\"", ${view("content", file.content.length)}, ${view("gzip", gzip.length)}},\n`;
});
writeFileSync(
  join(out, "files.cc"),
  `// Written by web/pack.mjs.\n#include "api/dashboard/dashboard.h"\n\n${data}\nnamespace paddock::api {\n\n` +
    `std::span<const DashboardFile> DashboardFiles() {\n  static const DashboardFile kFiles[] = {\n${rows}  };\n  return kFiles;\n}\n\n}  // namespace paddock::api\n`,
);
