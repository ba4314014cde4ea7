import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../testkit/command/built-commands.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import {
  runInShell,
  runPayments,
  startPayments,
  startShell,
} from "../testkit/command/run-payments.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";
import { documentedCode } from "../testkit/documented-examples.ts";
import { freePort } from "../testkit/sockets/tcp-proxy.ts";

// Every line of docs/testing.md, as a reader would run it.

const page = readFileSync(join(root, "docs/testing.md"), "utf8");

/** A documented command, and what it prints; `…` stands for anything. */
type Line = { command: string; printed: string };

function listLines(ports: Record<string, string>): Line[] {
  const blocks = [...page.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const ported = blocks.join("").replaceAll(/\b(?:8402|3000)\b/g, (port) => ports[port] ?? port);
  return ported
    .split(/^\$ /m)
    .slice(1)
    .map((block) => {
      const [command = "", ...printed] = block.trimEnd().split("\n");
      return { command, printed: printed.join("\n") };
    });
}

/** Runs a line that needs no shell; the file that one of them names is in the home. */
async function runLine(line: string, { home, env }: { home: string; env: Record<string, string> }) {
  const words = line.match(/"[^"]*"|\S+/g) ?? [];
  const args = words.slice(1).map((word) => word.replaceAll('"', ""));
  const placed = args.map((word) => (word === "orders.json" ? join(home, word) : word));
  return await runPayments(placed, { home, env });
}

function toPattern(printed: string): RegExp {
  const parts = printed.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`);
}

describe("docs/testing.md", () => {
  test("shows what each command prints", async () => {
    const ports = { 8402: String(await freePort()), 3000: String(await freePort()) };
    const [start, ...lines] = listLines(ports);
    const home = createTemporaryHome();
    const env = { TZ: "UTC" };
    const argv = (start?.command ?? "").split(" ").slice(1);
    const sandbox = startPayments([...argv, "--port", ports[8402]], { home, env });
    openUntilFileEnds(() => sandbox.kill());
    let started = "";
    sandbox.stdout.on("data", (chunk: Buffer) => (started += chunk.toString()));
    await expect.poll(() => started.trimEnd()).toMatch(toPattern(start?.printed ?? ""));

    const receiver = documentedCode("testing.md", "js").replace("3000", ports[3000]);
    writeFileSync(join(home, "receiver.mjs"), receiver);
    writeFileSync(join(home, "orders.json"), documentedCode("testing.md", "json"));
    const listening = startShell(`cd '${home}' && exec node receiver.mjs`, { home });
    openUntilFileEnds(() => listening.kill());
    let received = "";
    listening.stdout.on("data", (chunk: Buffer) => (received += chunk.toString()));
    await expect
      .poll(async () =>
        fetch(`http://127.0.0.1:${ports[3000]}`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true);

    for (const { command, printed } of lines) {
      const run = command.includes("|") ? runInShell : runLine;
      const { stdout, stderr, exitCode } = await run(command, { home, env });
      expect(`${command}\n${(stdout + stderr).trimEnd()}`).toMatch(
        toPattern(`${command}\n${printed}`),
      );
      expect(exitCode).toBe(0);
    }
    // The requests that waited for the receiver had no id.
    const ids = received.split("\n").filter((line) => line.startsWith("evt_"));
    expect(ids.length).toBeGreaterThanOrEqual(2);
    expect(ids[1]).toBe(ids[0]);
  });

  const suite = documentedCode("testing.md", "ts");

  test("has a suite of forty tests at the same time, and a test that waits for a webhook", async () => {
    const [imports = ""] = /^.*?\n\n/s.exec(suite) ?? [];
    const [card = ""] = /^const card = .*\n/m.exec(suite) ?? [];
    const waiting = documentedCode("testing.md", "ts", "waitForEvent");
    const files = { "suite.test.ts": suite, "waiting.test.ts": imports + card + shop + waiting };
    expect(await runSuites(files)).toMatchObject({
      numPassedTestSuites: 2,
      numPassedTests: 41,
      numFailedTests: 0,
    });
  });
});

/** A shop that ships an order before it answers. */
const shop = `
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
const shop = { url: "", shipped: [] as string[] };
const server = createServer(async (request, response) => {
  const event = JSON.parse(await text(request));
  if (event.type === "payment.succeeded") shop.shipped.push(event.data.object.id);
  response.end();
});
await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
shop.url = "http://127.0.0.1:" + (server.address() as { port: number }).port;
afterAll(() => void server.close());
`;

/** Runs files of tests in a project of their own; gives vitest's report. */
async function runSuites(files: Record<string, string>): Promise<unknown> {
  const folder = createTemporaryHome();
  mkdirSync(join(folder, "node_modules"));
  for (const [name, target] of [
    ["payments-cli", root],
    ["vitest", join(root, "node_modules/vitest")],
  ] as const) {
    symlinkSync(target, join(folder, "node_modules", name));
  }
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const line = `cd '${folder}' && '${process.execPath}' '${vitest}' run --root . --no-isolate --no-file-parallelism --test-timeout=300000 --hook-timeout=300000 --reporter=json --outputFile=report.json`;
  const ran = await runInShell(line);
  if (ran.exitCode !== 0) throw new Error(readFileSync(join(folder, "report.json"), "utf8"));
  return JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as unknown;
}
