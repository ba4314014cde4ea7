import { describeNetwork } from "./attach-network.ts";
import { openLog } from "./logger.ts";
import type { ServeSettings } from "./serve-settings.ts";
import { serve } from "./server.ts";
import { keepHeapSmall } from "./small-heap.ts";
import { endOnUncaughtErrors } from "./uncaught-errors.ts";

/**
 * The listening service with its log, which begins with what an operator needs to know. Until it is closed, an
 * uncaught error ends the process.
 */
export async function runService(
  logLevel: string,
  settings: Omit<ServeSettings, "log">,
): ReturnType<typeof serve> {
  const log = await openLog(logLevel);
  const running = await serve({ ...settings, log });
  const ignoreUncaught = endOnUncaughtErrors(log, running.closeAtOnce);
  const close = async () => running.close().finally(ignoreUncaught);
  keepHeapSmall(); // modules loaded under other flags than a command's would not share its compile cache
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
    // Where counting fails, the metrics report it later.
    const others = await service.countOtherNetworksCharges().catch(() => undefined);
    if (others && others.count > 0) {
      log.info(
        { charges: others.count, network: others.network },
        "charges wait for a service that is attached to another card network",
      );
    }
    if ((await service.listKeys()).length === 0) {
      const command = settings.dashboard ? "payments dashboard" : "payments keys create";
      log.info({}, `there is no API key yet: make one with ${command}`);
    }
    return { ...running, close };
  } catch (error) {
    await close();
    throw error;
  }
}
