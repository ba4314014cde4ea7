import { collectDefaultMetrics, Registry } from "prom-client";

let registry: Registry | undefined;

/**
 * What Node tells of the process: processor time, memory, garbage collection, event loop delay. Once
 * for a process, however many services run in it, since what observes it never ends.
 */
export function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
