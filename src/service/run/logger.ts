import type { DestinationStream } from "pino";
import type { Log } from "../http/log.ts";

/**
 * Logs on standard error: JSON lines, readable ones in a terminal. What is secret is masked before. Lines are
 * written many at a time, each within 100 ms, and the last ones when the process ends, also by a fault.
 */
export async function openLog(level: string): Promise<Log> {
  const { default: pino } = await import("pino");
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const logger = pino(options, await destination());
  return {
    info: (fields, message) => logger.info(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

async function destination(): Promise<DestinationStream> {
  if (!process.stderr.isTTY) return (gathered ??= await gatheredLines());
  const { default: pretty } = await import("pino-pretty");
  return pretty({ destination: 2, sync: true, translateTime: "SYS:HH:MM:ss" });
}

const gatheredLength = 8 * 1024;
const gatheredMs = 100;

/** Once for a process, which has one standard error and one end. */
let gathered: DestinationStream | undefined;

async function gatheredLines(): Promise<DestinationStream> {
  const { default: pino } = await import("pino");
  const output = pino.destination({ dest: 2, sync: true });
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
  return {
    write: (line) => {
      lines += line;
      if (lines.length >= gatheredLength) flush();
      else flushing ??= setTimeout(flush, gatheredMs).unref();
    },
  };
}
