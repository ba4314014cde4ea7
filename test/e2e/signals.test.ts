import { execFileSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants, openSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { startPayments, waitForEnd } from "../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { needs, onLinux } from "../testkit/runner/needs.ts";

// Commands that wait for another program: the writer of their file, or the reader of their output.

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;
const pipeMaker = "mkfifo"; // of every system that has pipes with names
const reconcile = ["reconcile", "--mode", "test", "--report"];

function makeFifo(): string {
  const fifo = join(createTemporaryHome(), "bank.csv");
  execFileSync(pipeMaker, [fifo]);
  return fifo;
}

/** A file about payments that no account has: a difference each. */
function writeUnknownPayments(count: number): string {
  const file = join(createTemporaryHome(), "bank.csv");
  const rows = Array.from({ length: count }, (_, at) => `order-${at},1.00,eur`);
  writeFileSync(file, `Ref,Sum,Cur\n${rows.join("\n")}\n`);
  return file;
}

const until = async (isThere: () => boolean) =>
  vi.waitUntil(isThere, { timeout: 120_000, interval: 20 });

async function hasOpened({ pid }: ChildProcess, file: string): Promise<void> {
  const folder = `/proc/${pid}/fd`;
  const readLink = (name: string) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return ""; // closed meanwhile
    }
  };
  await until(() => readdirSync(folder).some((name) => readLink(name) === file));
}

describe("a signal ends a command at once that waits", () => {
  needs(onLinux, "/proc, which tells that a file is open");

  test.each(signals)("for a FIFO that nobody opens: %s", async (signal, exitCode) => {
    const fifo = makeFifo();
    const child = startPayments([...reconcile, fifo]);
    const ended = waitForEnd(child);
    await hasOpened(child, fifo);
    child.kill(signal);
    expect(await ended).toEqual({ stdout: "", stderr: "Error: Interrupted.\n", exitCode });
  });

  test("for a reader of its output that has stopped", async () => {
    const map = ["--map", "payment=Ref,amount=Sum,currency=Cur"];
    const child = startPayments([...reconcile, writeUnknownPayments(5_000), ...map, "-o", "csv"]);
    await once(child.stdout, "readable"); // and nothing more is read, so that the pipe is full
    child.kill("SIGTERM");
    const [exitCode] = (await once(child, "exit")) as [number | null];
    expect(exitCode).toBe(143);
  });

  test("for a writer that never writes", async () => {
    const fifo = makeFifo();
    const child = startPayments([...reconcile, fifo]);
    const ended = waitForEnd(child);
    await hasOpened(child, fifo);
    openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK); // a writer that never writes
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ stdout: "", exitCode: 143 });
  });

  test("for a disk that does not answer", async () => {
    // Where FIFOs are opened as files are, a thread waits for this one as it would for a disk.
    const fifo = makeFifo();
    const asElsewhere = `Object.defineProperty(process, "platform", { value: "freebsd" })`;
    const env = {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(asElsewhere)}`,
    };
    const child = startPayments([...reconcile, fifo], { env });
    await until(() => {
      try {
        return openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK) > 0;
      } catch {
        return false; // there is no reader yet
      }
    });
    await hasOpened(child, fifo);
    child.kill("SIGTERM");
    const [exitCode, signal] = (await once(child, "exit")) as [number | null, string | null];
    expect({ exitCode, signal }).toEqual({ exitCode: null, signal: "SIGTERM" });
  });
});
