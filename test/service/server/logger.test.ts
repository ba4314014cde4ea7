import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";

const program = new URL("./write-log.ts", import.meta.url).pathname;
/** Linux refuses every write to it, as to a full disk. */
const full = "/dev/full";

function writeLog(count: number, ending: string) {
  const child = spawn(process.execPath, [program, String(count), ending], { stdio: "pipe" });
  openUntilFileEnds(() => child.kill("SIGKILL"));
  return child;
}

/** The numbers of a log's lines, without Node's own report of an error. */
function parseNumbers(output: string): number[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith('{"level":"info"'))
    .map((line) => (JSON.parse(line) as { line: number }).line);
}

describe("the log", () => {
  test.each([
    "without further work",
    "by process.exit",
    "by an uncaught error",
    "by an unhandled rejection",
  ])("is complete when the process ends %s", async (ending) => {
    const counts = [1, 1_000]; // less and more than one buffer of lines
    for (const count of counts) {
      const numbers = parseNumbers(await text(writeLog(count, ending).stderr));
      expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    }
  });

  test.runIf(existsSync(full))("on a full disk does not end the process", async () => {
    const stderr = openSync(full, "w");
    onTestFinished(() => closeSync(stderr));
    const child = spawn(process.execPath, [program, "1000", "by process.exit"], {
      stdio: ["ignore", "ignore", stderr],
    });
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("is written while the process runs, even if no line follows", async () => {
    const child = writeLog(3, "");
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      if (lines.push(line) === 3) break;
    }
    expect(parseNumbers(lines.join("\n"))).toEqual([1, 2, 3]);
    expect(child.exitCode).toBeNull();
    child.stdin.end();
  });
});
