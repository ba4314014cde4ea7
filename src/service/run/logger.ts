import type { DestinationStream } from "pino";
import type { Log } from "../http/log.ts";

/** Logs on standard error: JSON lines, readable ones in a terminal. What is secret is masked before. */
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
  if (!process.stderr.isTTY) {
    const { default: pino } = await import("pino");
    return pino.destination({ dest: 2, sync: true });
  }
  const { default: pretty } = await import("pino-pretty");
  return pretty({ destination: 2, sync: true, translateTime: "SYS:HH:MM:ss" });
}
