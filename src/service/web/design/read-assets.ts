import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { getAsset, isSea } from "node:sea";

const isSource = import.meta.url.endsWith(".ts");

/**
 * The text of styles or scripts of the pages, one after the other, by their paths in `web`. They are files of the
 * source, copies without the spaces and comments that only their readers need in a build, and assets of a single
 * executable.
 */
export function readAssets(...paths: string[]): string {
  return paths
    .map((path) => {
      const name = basename(path);
      if (isSea()) return getAsset(name, "utf8");
      const file = new URL(isSource ? `../${path}` : `./web/${name}`, import.meta.url);
      return readFileSync(file, "utf8");
    })
    .join("");
}
