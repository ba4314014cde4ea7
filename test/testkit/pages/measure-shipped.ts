import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "../command/built-commands.ts";

/** Each style and script as its source has it, and as the build ships it. */
const assets = globSync("src/service/web/*/*.{css,js}", { cwd: root }).map((file) => ({
  source: readFileSync(join(root, file), "utf8"),
  shipped: readFileSync(join(root, "dist/web", basename(file)), "utf8"),
}));

/** The bytes of a document or a style with the styles and scripts that the build ships. */
export function measureShipped(document: string): number {
  const shipped = assets.reduce(
    (text, asset) => text.replace(asset.source, () => asset.shipped),
    document,
  );
  return Buffer.byteLength(shipped);
}
