import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createTemporaryHome } from "./temporary.ts";
import { openUntilFileEnds } from "./open-until-file-ends.ts";

/** The first block of code in `language` on a page of `docs` that contains `part`. */
export function documentedCode(page: string, language: string, part = ""): string {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const found = blocks.find(([, of, code = ""]) => of === language && code.includes(part));
  if (!found?.[2]) throw new Error(`${page} has no such code`);
  return found[2];
}

/** Runs a program in a process of its own; gives the address that it prints first, and its later lines. */
export async function startExample(
  code: string,
  { env, folder = createTemporaryHome() }: { env: Record<string, string>; folder?: string },
): Promise<{ url: string; lines: string[] }> {
  const file = join(folder, "example.mjs");
  writeFileSync(file, code);
  const example = spawn(process.execPath, [file], {
    env: { PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  openUntilFileEnds(() => example.kill());
  const output = createInterface(example.stdout);
  const [url] = (await once(output, "line")) as [string];
  const lines: string[] = [];
  output.on("line", (line) => lines.push(line));
  return { url, lines };
}
