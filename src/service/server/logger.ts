import type { SonicBoom } from "sonic-boom";
import { writeJson } from "../../runtime/text.ts";
import type { Log } from "../../runtime/log.ts";

/** The levels that can be chosen; the service itself writes `info`, `warn` and `error`. */
const levels = ["trace", "debug", "info", "warn", "error", "silent"];

/**
 * Logs on standard error: JSON lines, readable ones in a terminal. The caller masks secrets. Lines are written
 * many at a time, each within 100 ms, and the last ones when the process ends, also by an error.
 */
export async function openLog(level: string): Promise<Log> {
  const write = process.stderr.isTTY
    ? await openPrettyOutput()
    : (bufferedOutput ??= await openBufferedOutput());
  const at = (name: keyof Log) => (fields: object, message: string) => {
    if (levels.indexOf(level) > levels.indexOf(name)) return;
    write(`${writeJson({ level: name, time: formatNow(), ...fields, msg: message })}\n`);
  };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

let last = { atMs: 0, text: "" };

/** Formatted once for all lines of a millisecond. */
function formatNow(): string {
  const atMs = Date.now();
  if (atMs !== last.atMs) last = { atMs, text: new Date(atMs).toISOString() };
  return last.text;
}

type Write = (line: string) => void;

async function openPrettyOutput(): Promise<Write> {
  const { default: pretty } = await import("pino-pretty");
  const stream = pretty({ destination: 2, sync: true, translateTime: "SYS:HH:MM:ss" });
  return (line) => stream.write(line);
}

const maxBufferedLength = 8 * 1024;
const maxBufferedMs = 100;

/** One for a process, which has one standard error and one end. */
let bufferedOutput: Write | undefined;

async function openBufferedOutput(): Promise<Write> {
  const { default: sonic } = await import("sonic-boom");
  // After an error (its reader is gone, its disk full) those lines are lost, and a new output tries the next ones.
  const open = (): SonicBoom =>
    new sonic.SonicBoom({ fd: 2, sync: true }).on("error", () => (output = open()));
  let output = open();
  let lines = "";
  let flushing: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(flushing);
    flushing = undefined;
    const text = lines;
    lines = "";
    if (text !== "") output.write(text);
  };
  process.on("exit", flush);
  return (line) => {
    lines += line;
    if (lines.length >= maxBufferedLength) flush();
    else flushing ??= setTimeout(flush, maxBufferedMs).unref();
  };
}
