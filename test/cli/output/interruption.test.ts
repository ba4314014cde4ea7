import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  endAtOnceDuring,
  hearSignals,
  type Interruption,
  throwUnlessCtrlC,
  untilSignal,
  watchInterruption,
} from "../../../src/cli/output/interruption.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const before = new Set(signals.flatMap((signal) => process.listeners(signal)));
/** Records every exit code instead of ending the process. */
let ended: unknown[] = [];

beforeEach(() => {
  ended = [];
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.spyOn(process, "exit").mockImplementation((code) => ended.push(code) as never);
});
afterEach(() => {
  for (const signal of signals) {
    const added = process.listeners(signal).filter((listener) => !before.has(listener));
    for (const listener of added) process.off(signal, listener);
  }
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("while work can be interrupted", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s gives it up, which is exit %d, and ends nothing", (signal, exitCode) => {
    using interruption = watchInterruption({ hasPrompted: true });
    process.emit(signal, signal);
    expect(interruption.signal.reason).toMatchObject({ by: signal, hasPrompted: true, exitCode });
    expect(ended).toEqual([]);
  });

  test("a signal is heard between two writes that never wait", async () => {
    vi.useRealTimers();
    using interruption = watchInterruption({ hasPrompted: false });
    const { signal } = interruption;
    process.kill(process.pid, "SIGHUP");
    for (let writes = 0; writes < 1_000_000 && !signal.aborted; writes++) {
      await hearSignals(Promise.resolve());
    }
    expect(signal.aborted).toBe(true); // by this signal, or a late one of a test before
  });

  test("work that does not end is given up, and what ends soon is not", async () => {
    vi.useRealTimers();
    using _ = watchInterruption({ hasPrompted: false });
    const never = hearSignals(new Promise(() => {}));
    process.emit("SIGTERM", "SIGTERM");
    expect(await hearSignals(Promise.resolve("printed"))).toBe("printed");
    await expect(never).rejects.toMatchObject({ by: "SIGTERM", hint: null });
  }, 60_000);

  test("output that nobody reads is given up with what the command has done before", async () => {
    vi.useRealTimers();
    using _ = watchInterruption({ hasPrompted: false });
    const unread = hearSignals(new Promise(() => {}), "The payment is pay_1, succeeded.");
    process.emit("SIGTERM", "SIGTERM");
    await expect(unread).rejects.toMatchObject({
      by: "SIGTERM",
      hint: "The payment is pay_1, succeeded.",
    });
  }, 60_000);

  test("work that fails before signals are heard is its caller's failure, and not the process's", async () => {
    vi.useRealTimers();
    using _ = watchInterruption({ hasPrompted: false });
    let isUnhandled = false;
    const note = () => (isUnhandled = true);
    process.once("unhandledRejection", note);
    await new Promise((resolve) => setTimeout(resolve, 30)); // so that signals are heard first
    await expect(hearSignals(Promise.reject(new Error("no file")))).rejects.toThrow("no file");
    process.off("unhandledRejection", note);
    expect(isUnhandled).toBe(false);
  });

  test("work that keeps the thread busy leaves signals to the system, and restores the handlers", () => {
    using interruption = watchInterruption({ hasPrompted: false });
    expect(endAtOnceDuring(() => process.listenerCount("SIGTERM"))).toBe(0);
    process.emit("SIGTERM", "SIGTERM");
    expect(interruption.signal.reason).toMatchObject({ by: "SIGTERM" });
  });

  test("a press that arrives twice within half a second is one", () => {
    using interruption = watchInterruption({ hasPrompted: false });
    process.emit("SIGINT", "SIGINT");
    vi.advanceTimersByTime(500);
    process.emit("SIGINT", "SIGINT");
    process.emit("SIGTERM", "SIGTERM");
    expect(interruption.signal.reason).toMatchObject({ by: "SIGINT" });
    expect(ended).toEqual([]);
  });

  test("a later press ends the process at once, with the signal's exit code", () => {
    using _ = watchInterruption({ hasPrompted: false });
    process.emit("SIGTERM", "SIGTERM");
    vi.advanceTimersByTime(501);
    process.emit("SIGINT", "SIGINT");
    expect(ended).toEqual([130]);
  });
});

describe("once the work is done", () => {
  test("a press ends the process by default again", () => {
    const count = process.listenerCount("SIGINT");
    {
      using _ = watchInterruption({ hasPrompted: false });
      expect(process.listenerCount("SIGINT")).toBe(count + 1);
    }
    expect(process.listenerCount("SIGINT")).toBe(count);
  });

  test("a second arrival of the same press does not end an interrupted command before it prints its error", () => {
    {
      using _ = watchInterruption({ hasPrompted: false });
      process.emit("SIGINT", "SIGINT");
    }
    process.emit("SIGINT", "SIGINT");
    expect(ended).toEqual([]);
  });
});

test.each([
  ["SIGINT", undefined],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("a command that runs until %s ends by it with exit code %s", (signal, exitCode) => {
  using ending = untilSignal();
  process.emit(signal, signal);
  expect(ending.signal.aborted).toBe(true);
  let thrown: unknown;
  try {
    throwUnlessCtrlC(ending.signal);
  } catch (error) {
    thrown = error;
  }
  expect((thrown as Interruption | undefined)?.exitCode).toBe(exitCode);
});
