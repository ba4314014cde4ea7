import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, Server } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  type AdapterCheck,
  type CheckSettings,
  checkAdapter,
} from "../../src/service/networks/check-adapter.ts";
import { openUntilFileEnds } from "./open-until-file-ends.ts";
import { createTemporaryHome } from "./temporary.ts";

/** The first block of code in `language` on a page of `docs` that contains `part`. */
export function documentedCode(page: string, language: string, part = ""): string {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const found = blocks.find(([, of, code = ""]) => of === language && code.includes(part));
  if (!found?.[2]) throw new Error(`${page} has no such code`);
  return found[2];
}

type Example = {
  env: Record<string, string>;
  folder?: string;
  name?: string;
  /** The program that runs the file, and the words before its name. */
  runs?: readonly string[];
};

/** Runs a program in a process of its own; gives the address that it prints first, and its later lines. */
export async function startExample(
  code: string,
  { env, folder = createTemporaryHome(), name = "example.mjs", runs = [process.execPath] }: Example,
): Promise<{ url: string; lines: string[] }> {
  writeFileSync(join(folder, name), code);
  const [program = "", ...args] = runs;
  const example = spawn(program, [...args, name], {
    cwd: folder,
    env: { PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true, // go and php have processes of their own
  });
  openUntilFileEnds(() => {
    if (example.exitCode === null) process.kill(-Number(example.pid));
  });
  const output = createInterface(example.stdout);
  const [url] = (await once(output, "line")) as [string];
  const lines: string[] = [];
  output.on("line", (line) => lines.push(line));
  return { url, lines };
}

const code = documentedCode("network-protocol.md", "js");

export const secret = "the adapter's secret";

/**
 * Starts the adapter of docs/network-protocol.md, changed or as it is; returns its address. It runs in the test's own
 * process, with an environment and a console of its own.
 */
export async function startExampleAdapter(
  change: (code: string) => string = (unchanged) => unchanged,
): Promise<string> {
  const env = JSON.stringify({ PORT: "0", PAYMENTS_NETWORK_SECRET: secret });
  const started = `const { promise: isListening, resolve } = Promise.withResolvers();
    const [process, console] = [{ env: ${env} }, { log: resolve }];
    export { server, isListening };`;
  // A comment of its own, since the same text would be the same module.
  const text = encodeURIComponent(`${started} // ${randomUUID()}\n${change(code)}`);
  const adapter = (await import(`data:text/javascript,${text}`)) as {
    server: Server;
    isListening: Promise<string>;
  };
  openUntilFileEnds(() => {
    adapter.server.closeAllConnections();
    adapter.server.close();
  });
  return await adapter.isListening;
}

type Seen = { method: string; url: string; headers: IncomingHttpHeaders };

/** Starts the same adapter as it is, in a process of its own; it tells each request that it sees, and what its books say about a charge. */
export async function startWatchedAdapter() {
  const tell =
    "({ method, url, headers }) => console.log(JSON.stringify({ method, url, headers }))";
  const { url, lines } = await startExample(`${code}server.on("request", ${tell});`, {
    env: { PAYMENTS_NETWORK_SECRET: secret },
  });
  const authorization = `Bearer ${secret}`;
  return {
    url,
    requests: (method: string, path: string): Seen[] =>
      lines
        .map((line) => JSON.parse(line) as Seen)
        .filter((seen) => seen.method === method && seen.url === path),
    findCharge: async (id: string): Promise<unknown> =>
      await (await fetch(`${url}/charges/${id}`, { headers: { authorization } })).json(),
  };
}

/** Builds a change that replaces a part of the example. */
export function replacePart(part: string, by: string): (code: string) => string {
  return (unchanged) => {
    if (!unchanged.includes(part)) throw new Error(`The example has no ${part}`);
    return unchanged.replace(part, by);
  };
}

/** Decides on the example's page of a bank, as a browser does; returns where it is sent then. */
export async function decideAtExampleBank(
  url: string,
  isApproved: boolean,
): Promise<string | null> {
  const page = await (await fetch(url)).text();
  const decision = isApproved ? "approve" : "decline";
  if (!page.includes(`name="decision" value="${decision}"`)) throw new Error("No such button.");
  const body = new URLSearchParams({ decision });
  const { status, headers } = await fetch(url, { method: "POST", body, redirect: "manual" });
  return status === 303 ? headers.get("location") : null;
}

/** Checks an adapter with the secret of the example. */
export async function runChecks(
  url: string,
  special: Partial<CheckSettings> = {},
): Promise<AdapterCheck[]> {
  return await checkAdapter({
    url,
    secret,
    version: "1.2.3",
    newId: () => `pay_${randomUUID()}`,
    signal: new AbortController().signal,
    onCheck: () => {},
    ...special,
  });
}

/** Checks an adapter up to a promise, since a fault that this one has found is not looked for by the later ones. */
export async function runChecksUpTo(
  promise: string,
  url: string,
  special: Partial<CheckSettings> = {},
): Promise<AdapterCheck[]> {
  const over = new AbortController();
  let isReached = false;
  const onCheck = (name: string, limitMs: number) => {
    if (isReached) over.abort();
    isReached ||= name === promise;
    special.onCheck?.(name, limitMs);
  };
  return await runChecks(url, { ...special, onCheck, signal: over.signal });
}

export function findBroken(checks: AdapterCheck[]): AdapterCheck[] {
  return checks.filter(({ ok }) => !ok);
}
