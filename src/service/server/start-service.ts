import { createKey } from "../accounts/manage-accounts.ts";
import { loadPart } from "../../runtime/child-programs.ts";
import { type SandboxOptions, type ServeSettings, checkSettings } from "./service-settings.ts";
import type { RunningSandbox } from "./start-sandbox.ts";

export type RunningService = {
  url: string;
  /** The address of metrics and probes, if `metricsPort` gives them a port of their own. */
  metricsUrl: string | undefined;
  /** A key of each mode, made for this run. */
  keys: { test: string; live: string };
  /** Ends the service, once however often it is called. */
  close: () => Promise<void>;
  /** For `await using`: the same as `close`. */
  [Symbol.asyncDispose]: () => Promise<void>;
};

export type { NetworkSettings, SandboxOptions, ServeSettings } from "./service-settings.ts";
export type { EventWait, RunningSandbox, SandboxAccount } from "./start-sandbox.ts";

/**
 * Starts the whole service in this process, for a test suite: by default on a free port of
 * 127.0.0.1, over a database in memory, with a key of each mode. With `sandbox` it can be told to
 * start over, to move its time on, and to let requests go wrong (docs/testing.md). Settings with which it would not
 * start as they say are a `TypeError`.
 */
export async function startService(settings: SandboxOptions): Promise<RunningSandbox>;
export async function startService(settings?: Partial<ServeSettings>): Promise<RunningService>;
export async function startService(
  settings: Partial<ServeSettings> | SandboxOptions = {},
): Promise<RunningService> {
  checkSettings(settings);
  const defaults = { database: "sqlite::memory:", host: "127.0.0.1", port: 0 };
  // The test suite shares this process: its own load and heap are no reason to refuse requests.
  const overload = { eventLoopDelayMs: Infinity, heapShare: Infinity };
  if ("sandbox" in settings && settings.sandbox) {
    const { startSandbox } = await loadPart(async () => import("./start-sandbox.ts"));
    return await startSandbox({ ...defaults, ...settings }, { overload });
  }
  const { serve } = await loadPart(async () => import("./serve.ts"));
  const running = await serve({ ...defaults, ...settings }, { overload });
  const { url, metricsUrl, service, close } = running;
  const test = await createKey(service, { mode: "test", name: "test suite" });
  const live = await createKey(service, { mode: "live", name: "test suite" });
  const keys = { test: test.key, live: live.key };
  return { url, metricsUrl, keys, close, [Symbol.asyncDispose]: close };
}
