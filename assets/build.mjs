// Builds every file of build/ from src/ and the pinned packages: node build.mjs OUTPUT_FOLDER
import { build } from "esbuild";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2] ?? "build");
const from = (...parts) => path.join(here, ...parts);
const fontsource = (family, file) => from("node_modules/@fontsource-variable", family, "files", file);

await rm(out, { recursive: true, force: true });
await mkdir(path.join(out, "fonts"), { recursive: true });

await build({
  absWorkingDir: here,
  entryPoints: ["headroom", "staff"].map((name) => from(`src/css/${name}.css`)),
  outdir: out,
  bundle: true,
  minify: true,
  external: ["./fonts/*"],
  target: ["chrome111", "firefox113", "safari16.4"],
});

await build({
  absWorkingDir: here,
  entryPoints: ["editor", "timeline", "calculator", "keys", "practise"].map((name) => from(`src/js/${name}.js`)).filter(existsSync),
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  charset: "utf8",
  legalComments: "none",
  target: ["es2022"],
});

const copies = {
  "htmx.min.js": from("node_modules/htmx.org/dist/htmx.min.js"),
  "icon.svg": from("src/icon.svg"),
  "fonts/source-serif-4.woff2": fontsource("source-serif-4", "source-serif-4-latin-wght-normal.woff2"),
  "fonts/source-serif-4-italic.woff2": fontsource("source-serif-4", "source-serif-4-latin-wght-italic.woff2"),
  "fonts/ibm-plex-sans.woff2": fontsource("ibm-plex-sans", "ibm-plex-sans-latin-wght-normal.woff2"),
  "fonts/jetbrains-mono.woff2": fontsource("jetbrains-mono", "jetbrains-mono-latin-wght-normal.woff2"),
  "fonts/LICENSES.md": from("src/fonts/LICENSES.md"),
  "fonts/signs.woff2": from("src/fonts/signs.woff2"),
  "fonts/stix-two-math.woff2": from("src/fonts/stix-two-math.woff2"),
};
for (const [name, source] of Object.entries(copies)) await copyFile(source, path.join(out, name));
