import { repeat } from "./background.ts";
import { createApp } from "../http/app.ts";
import { shedOverload, type OverloadLimits } from "../http/overload.ts";
import { limitRate } from "../http/rate-limit.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { defaultProcessingTimeMs, openService, settleAll } from "./open-service.ts";
import { readiness } from "./readiness.ts";
import { Unavailable } from "../../contract/failures.ts";
import type { ServeSettings } from "./settings.ts";
import { stopper } from "./stop-listening.ts";

const forgetEveryMs = 60_000;

/** What nobody has had to set so far; docs/operating.md tells what each is by default. */
export type ServeLimits = {
  overload?: Partial<OverloadLimits>;
  /** How long a service that is to end waits for a probe to hear it. */
  probeWaitMs?: number;
  /** How long what is in flight may take when a service ends. */
  finishMs?: number;
};

/**
 * The service listening on a port, with what an operator needs. `close` first says on /readyz that it
 * will end, and waits for a probe to hear it where there are any, 5 s at the most; then it takes no
 * more connections, and finishes what is in flight within 10 s.
 */
export async function serve(settings: ServeSettings, limits: ServeLimits = {}) {
  const { log, hppExpiryMs, rateLimit = 0 } = settings;
  let publicUrl = (settings.publicUrl ?? "").replace(/\/+$/, "");
  const metrics = createMetrics({ version: settings.version });
  const { service, close } = await openService(settings, {
    publicUrl: () => publicUrl,
    hppExpiryMs,
    observer: metrics.store,
  });
  metrics.watchBacklog(service.settlementBacklog);
  const ready = readiness(service.checkStore, limits.probeWaitMs);
  const app = createApp(service, {
    docsUrl: () => `${publicUrl}/docs/errors`,
    publicUrl: () => publicUrl,
    ...(log && { log }),
    operations: { unreadyReason: ready.unreadyReason, metrics: metrics.read },
    observe: metrics.request,
    shed: shedOverload({ ...(log && { log }), observe: metrics.shed }, limits.overload),
    ...(rateLimit > 0 && { limitRate: limitRate(rateLimit) }),
  });
  const stop = stopper(app.server, limits.finishMs);
  const url = await app
    .listen({ host: settings.host, port: settings.port })
    .catch(async (error: NodeJS.ErrnoException) => {
      await close();
      throw new Unavailable(cannotListen(settings, error), { cause: error });
    });
  publicUrl ||= reachable(url);
  const processingTimeMs = settings.processingTimeMs ?? defaultProcessingTimeMs;
  const settleEveryMs = Math.min(250, Math.max(20, processingTimeMs / 4));
  const loops = [
    repeat(settleEveryMs, async () => settleAll(service), log),
    repeat(forgetEveryMs, async (signal) => service.forgetAnswers(signal), log),
  ];
  return {
    url: reachable(url),
    service,
    close: async () => {
      await ready.end();
      try {
        await stop(async () => app.close());
      } finally {
        await Promise.all(loops.map(async (end) => end()));
        await close();
      }
    },
  };
}

/** An address that a browser on this machine can open. */
function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

function cannotListen({ host, port }: ServeSettings, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use. Choose another one with --port, or --port 0 for any.`;
    case "EACCES":
      return `This user may not listen on port ${port}. Choose one from 1024 on with --port.`;
    default:
      // A name that is none may be anything that was typed: it is not repeated.
      return error.syscall === "getaddrinfo"
        ? "The host to listen on is not known. Choose an address of this machine with --host."
        : `The service cannot listen on ${host}, port ${port}: ${error.message}.`;
  }
}
