import type { SonicBoom } from "sonic-boom";
import type { Log } from "../http/log.ts";

/** What may be asked for, the most first; the service itself tells of what is usual, and of what went wrong. */
const levels = ["trace", "debug", "info", "warn", "error", "silent"];

/**
 * Logs on standard error: JSON lines, readable ones in a terminal. What is secret is masked before. Lines are
 * written many at a time, each within 100 ms, and the last ones when the process ends, also by a fault.
 */
export async function openLog(level: string): Promise<Log> {
  const write = await destination();
  const at = (told: keyof Log) => (fields: object, message: string) => {
    if (levels.indexOf(level) > levels.indexOf(told)) return;
    write(`${JSON.stringify({ level: told, time: isoTime(), ...fields, msg: message })}\n`);
  };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

let last = { atMs: 0, text: "" };

/** Now, made once for all lines of a millisecond. */
function isoTime(): string {
  const atMs = Date.now();
  if (atMs !== last.atMs) last = { atMs, text: new Date(atMs).toISOString() };
  return last.text;
}

type Write = (line: string) => void;

async function destination(): Promise<Write> {
  if (!process.stderr.isTTY) return (gathered ??= await gatheredLines());
  const { default: pretty } = await import("pino-pretty");
  const stream = pretty({ destination: 2, sync: true, translateTime: "SYS:HH:MM:ss" });
  return (line) => stream.write(line);
}

const gatheredLength = 8 * 1024;
const gatheredMs = 100;

/** Once for a process, which has one standard error and one end. */
let gathered: Write | undefined;

async function gatheredLines(): Promise<Write> {
  const { default: sonic } = await import("sonic-boom");
  // Its reader is gone, or its disk full: what could not be written is lost, and what follows tried anew.
  const opened = (): SonicBoom =>
    new sonic.SonicBoom({ fd: 2, sync: true }).on("error", () => (output = opened()));
  let output = opened();
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
    if (lines.length >= gatheredLength) flush();
    else flushing ??= setTimeout(flush, gatheredMs).unref();
  };
}
