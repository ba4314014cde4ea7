import type { DestinationStream } from "pino";
import { mask } from "./contract/mask.ts";
import type { Log } from "./http/app.ts";

/** Logs on standard error: JSON lines, readable ones in a terminal; without keys and card numbers. */
export async function openLog(level: string): Promise<Log> {
  const { default: pino } = await import("pino");
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: described },
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

/** An error may quote what it met: its text is masked before it is written anywhere. */
function described(error: unknown): object {
  if (!(error instanceof Error)) return { message: mask(String(error)) };
  return { name: error.name, message: mask(error.message), stack: mask(error.stack ?? "") };
}
