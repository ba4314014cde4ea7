import { openLog } from "./logger.ts";
import { describeNetwork } from "./attach-network.ts";
import { keepHeapSmall } from "./small-heap.ts";
import { serve } from "./server.ts";
import type { ServeSettings } from "./serve-settings.ts";
import { endOnUncaughtErrors } from "./uncaught-errors.ts";

/**
 * The service, listening, with its log, which says what an operator needs to know at the start. Until it is
 * closed, an error that nothing catches ends the process.
 */
export async function runService(
  logLevel: string,
  settings: Omit<ServeSettings, "log">,
): ReturnType<typeof serve> {
  const log = await openLog(logLevel);
  const service = await serve({ ...settings, log });
  const uncaught = endOnUncaughtErrors(log, service.closeAtOnce);
  const close = async () => service.close().finally(uncaught.end);
  const running = { ...service, close };
  keepHeapSmall(); // what is loaded under other flags than a command's would not share its compile cache
  try {
    const { url, allInterfaces, metricsUrl, maxConnections } = running;
    log.info(
      {
        url,
        ...(allInterfaces && { all_interfaces: true }),
        metrics_url: metricsUrl,
        max_connections: maxConnections,
      },
      "listening",
    );
    const { network } = settings;
    if (network) log.info({ network: describeNetwork(network) }, "live payments move money");
    else log.info({}, "live payments go to the built-in simulator: no money moves");
    // What cannot be counted now is told by the metrics later.
    const elsewhere = await running.service.countOtherNetworksCharges().catch(() => undefined);
    if (elsewhere && elsewhere.count > 0) {
      const waiting = { charges: elsewhere.count, network: elsewhere.network };
      log.info(waiting, "charges wait for a service that is attached to another card network");
    }
    if ((await running.service.listKeys()).length === 0) {
      const way = settings.dashboard ? "payments dashboard" : "payments keys create";
      log.info({}, `there is no API key yet: make one with ${way}`);
    }
    return running;
  } catch (error) {
    await running.close();
    throw error;
  }
}
