import { serve } from "./server.ts";
import type { ServeSettings } from "./settings.ts";

export type RunningService = {
  url: string;
  /** Where metrics and probes are, if `metricsPort` gives them a port of their own. */
  metricsUrl: string | undefined;
  /** A key of each mode, made for this run. */
  keys: { test: string; live: string };
  close: () => Promise<void>;
};

/**
 * Starts the whole service in this process, for a test suite: by default on a free port of
 * 127.0.0.1, over a database in memory, with a key of each mode.
 */
export async function startService(settings: Partial<ServeSettings> = {}): Promise<RunningService> {
  const { url, metricsUrl, service, close } = await serve({
    database: "sqlite::memory:",
    host: "127.0.0.1",
    port: 0,
    ...settings,
  });
  const test = await service.createKey({ mode: "test", name: "test suite" });
  const live = await service.createKey({ mode: "live", name: "test suite" });
  return { url, metricsUrl, keys: { test: test.key, live: live.key }, close };
}
