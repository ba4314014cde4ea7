import { listKeys } from "../accounts/manage-keys.ts";
import { describeNetwork } from "./attach-network.ts";
import { openLog } from "./logger.ts";
import { keepHeapSmall } from "./small-heap.ts";
import type { ServeSettings } from "./service-settings.ts";
import { serve } from "./server.ts";
import { toMaskedError } from "../../contract/mask.ts";
import type { Log } from "../../runtime/log.ts";

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
