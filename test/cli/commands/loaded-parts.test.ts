import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { body, runningService } from "../../client/running-service.ts";
import { newHome } from "../settings/temporary-home.ts";
import { hasTerminals, inTerminal, keys } from "./in-terminal.ts";
import { against, runPayments } from "./run-payments.ts";
import { servePayments } from "./serve-payments.ts";

const service = runningService();

/** The text of every file of the command that a process has loaded, as Node's coverage tells. */
function loadedText(coverage: string): string {
  const files = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), "utf8")) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => url).filter((url) => url.includes("/dist/"));
  });
  return files.map((file) => readFileSync(fileURLToPath(file), "utf8")).join("\n");
}

describe.skipIf(!hasTerminals).concurrent("what asks questions is loaded", () => {
  const library = "ExitPromptError";

  test("only where a question is asked", async () => {
    const { id } = await service.client().payments.create(body);
    const [asked, unasked, accessible] = [newHome(), newHome(), newHome()];
    const env = (coverage: string) => ({
      ...against(service.url, service.keys.test),
      NODE_V8_COVERAGE: coverage,
    });
    const asking = inTerminal(["refund", id], { env: env(asked) });
    await asking.appears("Refund 49.99 EUR?");
    asking.type(keys.enter);
    expect(await asking.exitCode).toBe(10);
    const plain = inTerminal(["refund", id], { env: { ...env(accessible), ACCESSIBLE: "1" } });
    await plain.appears("Refund 49.99 EUR?");
    plain.type(keys.enter);
    expect(await plain.exitCode).toBe(10);
    expect(await inTerminal(["refund", id, "--yes"], { env: env(unasked) }).exitCode).toBe(0);

    expect(loadedText(asked)).toContain(library);
    expect(loadedText(accessible)).not.toContain(library);
    expect(loadedText(unasked)).not.toContain(library);
    expect(loadedText(unasked)).toContain("A refund needs --yes");
  });
});

/** What marks each part of the service in the text that is loaded with it. */
const marks = {
  metrics: "payments_build_info",
  pressure: "under-pressure",
  http: "FST_ERR_BAD_URL",
  limits: "x-ratelimit",
  store: "BEGIN IMMEDIATE",
};

function partsOf(coverage: string): string[] {
  const text = loadedText(coverage);
  return Object.entries(marks)
    .filter(([, mark]) => text.includes(mark))
    .map(([part]) => part);
}

function watching(coverage: string): Record<string, string> {
  return { NODE_V8_COVERAGE: coverage };
}

test("what an operator needs is loaded only where a service runs on its own", async () => {
  const [remote, embedded, keyed, served] = [newHome(), newHome(), newHome(), newHome()];
  const env = { ...against(service.url, service.keys.test), ...watching(remote) };
  expect((await runPayments(["list"], { env })).exitCode).toBe(0);
  expect((await runPayments(["list"], { env: watching(embedded) })).exitCode).toBe(0);
  expect((await runPayments(["keys", "list"], { env: watching(keyed) })).exitCode).toBe(0);
  await (await servePayments([], { env: watching(served) })).end("SIGTERM");
  expect(partsOf(served)).toEqual(["metrics", "pressure", "http", "limits", "store"]);
  expect(partsOf(embedded)).toEqual(["http", "store"]);
  expect(partsOf(keyed)).toEqual(["store"]);
  expect(partsOf(remote)).toEqual([]);
});
