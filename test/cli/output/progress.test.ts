import { Chalk } from "chalk";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { showProgress } from "../../../src/cli/output/write-output.ts";

const plain = new Chalk({ level: 0 });

function createScreen(isTTY: boolean) {
  let shown = "";
  const stream = { isTTY, write: (text: string) => (shown += text) };
  return { stream: stream as unknown as NodeJS.WriteStream, shown: () => shown };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("progress", () => {
  test("is silent in the first second, then redraws one line, and clears it at the end", () => {
    const { stream, shown } = createScreen(true);
    {
      using progress = showProgress(stream, {}, plain);
      progress.at("1");
      expect(shown()).toBe("");
      vi.advanceTimersByTime(1_001);
      progress.at("2");
      progress.at("3");
      vi.advanceTimersByTime(201);
      progress.at("4");
    }
    expect(shown()).toBe("\r\u001B[K1\r\u001B[K3\r\u001B[K");
  });

  test("shows a text that came too early once the first second is over, also where none follows", () => {
    const { stream, shown } = createScreen(true);
    {
      using progress = showProgress(stream, {}, plain);
      progress.at("1");
      progress.at("2");
      vi.advanceTimersByTime(60_000);
      expect(shown()).toBe("\r\u001B[K2");
    }
    vi.advanceTimersByTime(60_000);
    expect(shown()).toBe("\r\u001B[K2\r\u001B[K");
  });

  test("is for a terminal only", () => {
    const { stream, shown } = createScreen(false);
    {
      using progress = showProgress(stream, {}, plain);
      vi.advanceTimersByTime(5_000);
      progress.at("1");
    }
    expect(shown()).toBe("");
  });

  test.each([{ ACCESSIBLE: "1" }, { TERM: "dumb" }])(
    "prints a new line every ten seconds with %j",
    (env) => {
      const { stream, shown } = createScreen(true);
      {
        using progress = showProgress(stream, env, plain);
        for (let seconds = 0; seconds < 25; seconds++) {
          progress.at(`${seconds} s`);
          vi.advanceTimersByTime(1_000);
        }
      }
      expect(shown()).toBe("0 s\n10 s\n20 s\n");
    },
  );
});
