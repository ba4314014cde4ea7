import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";

const program = new URL("./write-log.ts", import.meta.url).pathname;
/** Where Linux lets nothing be written, as on a full disk. */
const full = "/dev/full";

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

  test.runIf(existsSync(full))(
    "that its disk has no room for does not end the process",
    async () => {
      const stderr = openSync(full, "w");
      onTestFinished(() => closeSync(stderr));
      const child = spawn(process.execPath, [program, "1000", "by process.exit"], {
        stdio: ["ignore", "ignore", stderr],
      });
      expect(await once(child, "exit")).toEqual([0, null]);
    },
  );

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
