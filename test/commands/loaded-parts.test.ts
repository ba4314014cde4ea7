import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { body, runningService } from "../client/running-service.ts";
import { newHome } from "../config/temporary-home.ts";
import { hasTerminals, inTerminal, keys } from "./in-terminal.ts";
import { against } from "./run-payments.ts";

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
