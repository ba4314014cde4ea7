import type { SonicBoom } from "sonic-boom";
import { toMaskedError } from "../../contract/mask.ts";
import type { Log } from "../../runtime/log.ts";
import { writeJson } from "../../runtime/text.ts";
import { listKeys } from "../accounts/manage-accounts.ts";
import { describeNetwork } from "./attach-network.ts";
import { serve } from "./serve.ts";
import type { ServeSettings } from "./service-settings.ts";
import { keepHeapSmall } from "./small-heap.ts";

/**
 * The listening service with its log, which begins with `warnings` and what else an operator needs to know. Until it
 * is closed, an uncaught error ends the process.
 */
export async function runService(
  logLevel: string,
  settings: Omit<ServeSettings, "log">,
  warnings: readonly string[] = [],
): ReturnType<typeof serve> {
  const log = await openLog(logLevel);
  for (const warning of warnings) log.warn({}, warning);
  const running = await serve({ ...settings, log }, { indexesApart: true });
  const ignoreUncaught = endOnUncaughtErrors(log, running.closeAtOnce);
  // Compiled code is shared with other commands, but not under other flags: once all is loaded, until all is done.
  const restoreHeap = keepHeapSmall();
  const close = async () =>
    running.close().finally(() => {
      ignoreUncaught();
      restoreHeap();
    });
  try {
    const { url, allInterfaces, metricsUrl, maxConnections, service } = running;
    const interfaces = allInterfaces && { all_interfaces: true };
    log.info(
      { url, ...interfaces, metrics_url: metricsUrl, max_connections: maxConnections },
      "listening",
    );
    const { network } = settings;
    if (network) log.info({ network: describeNetwork(network) }, "live payments move money");
    else log.info({}, "live payments go to the built-in simulator: no money moves");
    // If counting fails, the metrics report it later.
    const others = await service.countOtherNetworksCharges().catch(() => undefined);
    if (others && others.count > 0) {
      log.info(
        { charges: others.count, network: others.network },
        "charges wait for a service that is attached to another card network",
      );
    }
    if ((await listKeys(service)).length === 0) {
      const command = settings.dashboard ? "payments dashboard" : "payments keys create";
      log.info({}, `there is no API key yet: make one with ${command}, on this service's database`);
    }
    return { ...running, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A shutdown takes at most 17 s: 1 s of accepting, 10 s for requests in flight, 5 s for webhooks, and the rest. */
const maxEndMs = 20_000;

/**
 * Ends the process with exit code 1 on an uncaught error, since its state is unknown: the error is logged in
 * full, and `finish` finishes the requests in flight with their commits. The returned function removes this
 * handler.
 */
function endOnUncaughtErrors(log: Log, finish: () => Promise<void>): () => void {
  let isEnding = false;
  const endProcess = async (error: unknown) => {
    log.error({ err: toMaskedError(error) }, "uncaught error: the service ends");
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(1), maxEndMs).unref();
    await finish().catch((reason: unknown) =>
      log.error({ err: toMaskedError(reason) }, "the service did not end cleanly"),
    );
    process.exit(1);
  };
  const listener = (error: unknown) => void endProcess(error);
  process.on("uncaughtException", listener); // unhandled rejections, too
  return () => void process.off("uncaughtException", listener);
}

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
    // The fields' JSON within the line's: an object of all of them would be made, and read, once more.
    const json = writeJson(fields).slice(1, -1);
    const end = `"msg":${writeJson(message)}}\n`;
    write(`{"level":"${name}","time":"${formatNow()}",${json === "" ? end : `${json},${end}`}`);
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
