import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";
import { pathToFileURL } from "node:url";

/**
 * The address of the page that documents every error: a file of the package at `root`, or one that the
 * executable has written into the folder of the `data`, so that there is something to open.
 */
export function resolveErrorsPageUrl(root: string, data: string): string {
  if (!isSea()) return pathToFileURL(join(root, "docs", "errors.html")).href;
  const file = join(data, "errors.html");
  const text = getAsset("errors.html", "utf8");
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
  return pathToFileURL(file).href;
}
