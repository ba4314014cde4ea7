import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { openUntilFileEnds } from "../../open-until-file-ends.ts";

const program = new URL("write-log.ts", import.meta.url).pathname;

function writeLog(count: number, ending: string) {
  const child = spawn(process.execPath, [program, String(count), ending], { stdio: "pipe" });
  openUntilFileEnds(() => child.kill("SIGKILL"));
  return child;
}

/** The lines of a log, by their number; what Node says of a fault is none. */
function numbersIn(output: string): number[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith('{"level":"info"'))
    .map((line) => (JSON.parse(line) as { line: number }).line);
}

describe("the log", () => {
  test.each([
    "when it has nothing left to do",
    "by process.exit",
    "by an error that nobody catches",
    "by a rejection that nobody handles",
  ])("is whole when the process ends %s", async (ending) => {
    const counts = [1, 1_000]; // fewer lines than are written together, and many times as many
    for (const count of counts) {
      const numbers = numbersIn(await text(writeLog(count, ending).stderr));
      expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    }
  });

  test("is written while the process goes on, also where nothing follows", async () => {
    const child = writeLog(3, "");
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      if (lines.push(line) === 3) break;
    }
    expect(numbersIn(lines.join("\n"))).toEqual([1, 2, 3]);
    expect(child.exitCode).toBeNull();
    child.stdin.end();
  });
});
