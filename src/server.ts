import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { modes, type Mode } from "./contract/key.ts";
import { createApp } from "./http/app.ts";
import { statusOf } from "./http/error-reply.ts";
import type { Log } from "./http/log.ts";
import { maskedError } from "./http/masked-error.ts";
import { ids } from "./ids.ts";
import { simulatorNetwork } from "./network/simulator.ts";
import { testNetwork } from "./network/test-cards.ts";
import { errorsPage } from "./page/errors-page.ts";
import { Unavailable } from "./service/ports.ts";
import { createService, type Service } from "./service/service.ts";
import { openDriver } from "./open-driver.ts";
import type { ServeSettings, ServiceSettings } from "./service-settings.ts";
import { openStore } from "./store/store.ts";

// Where the rooms are wired together: settings → store → service → app.

export type OpenService = { service: Service; close: () => Promise<void> };

const defaultProcessingTimeMs = 1_000;
const defaultHppExpiryMs = 24 * 60 * 60 * 1000;

type PageSettings = { publicUrl?: () => string; hppExpiryMs?: number | undefined };

/**
 * The use cases over a database, without HTTP: what key management needs. Payment pages can be made
 * where `pages` says how customers reach them.
 */
export async function openService(
  settings: ServiceSettings,
  pages: PageSettings = {},
): Promise<OpenService> {
  const driver = await openDriver(settings.database);
  const store = await openStore(driver).catch(async (error: unknown) => {
    await driver.close();
    throw error;
  });
  const options = { processingTimeMs: settings.processingTimeMs ?? defaultProcessingTimeMs };
  const test = testNetwork(options);
  const live = simulatorNetwork(options);
  const service = createService({
    store,
    networkOf: (scope) => (scope.livemode ? live : test),
    clock: Date.now,
    ids,
    publicUrl: () => pages.publicUrl?.(),
    hppExpiryMs: pages.hppExpiryMs ?? defaultHppExpiryMs,
  });
  return { service, close: async () => store.close() };
}

/** The page that documents every error, for the embedded service, which has no address of its own. */
export function errorsHtml(): string {
  return errorsPage(statusOf);
}

export type EmbeddedSettings = ServiceSettings & {
  docsUrl: string;
  /** The embedded service's own keys, and the file that holds them. */
  keys: Record<Mode, string>;
  keyFile: string;
};
type Call = { method: string; path: string; headers: Record<string, string>; body?: string };

/**
 * The whole service in this process, without a port: the same app over the same store, called
 * directly. Payments left pending are settled whenever it is used.
 */
export async function embed(settings: EmbeddedSettings) {
  const { service, close } = await openService(settings);
  for (const mode of modes) {
    const active = await service.adoptKey(settings.keys[mode], { mode, name: "embedded" });
    if (active) continue;
    await close();
    throw new Unavailable(
      `The embedded service's own ${mode} key was revoked or has expired. Delete ${settings.keyFile}, and the next command makes new ones.`,
    );
  }
  const app = createApp(service, { docsUrl: () => settings.docsUrl, toOwner: true });
  return {
    call: async ({ method, path, headers, body }: Call) => {
      await settleAll(service).catch(ignored);
      const answer = await app.inject({
        method: method as "GET" | "POST",
        url: path,
        headers,
        ...(body !== undefined && { payload: body }),
      });
      if (method === "POST") await service.forgetAnswers().catch(ignored);
      return {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string>,
        body: answer.body,
      };
    },
    close,
  };
}

/** Housekeeping that fails is done by a later command; it never hides the answer of this one. */
function ignored(): void {}

const shutdownMs = 10_000;
const forgetEveryMs = 60_000;

/** The service listening on a port. `close` finishes what is in flight, within 10 s. */
export async function serve(settings: ServeSettings) {
  const { log, hppExpiryMs } = settings;
  let publicUrl = (settings.publicUrl ?? "").replace(/\/+$/, "");
  const pages = { publicUrl: () => publicUrl, hppExpiryMs };
  const { service, close } = await openService(settings, pages);
  const app = createApp(service, {
    docsUrl: () => `${publicUrl}/docs/errors`,
    publicUrl: pages.publicUrl,
    ...(log && { log }),
  });
  const url = await app
    .listen({ host: settings.host, port: settings.port })
    .catch(async (error: NodeJS.ErrnoException) => {
      await close();
      throw new Unavailable(cannotListen(settings, error), { cause: error });
    });
  publicUrl ||= reachable(url);
  let unanswered = 0;
  app.server.on("request", (_request: IncomingMessage, response: ServerResponse) => {
    unanswered++;
    response.once("close", () => unanswered--);
  });
  const processingTimeMs = settings.processingTimeMs ?? defaultProcessingTimeMs;
  const everyMs = Math.min(250, Math.max(20, processingTimeMs / 4));
  const loops = [
    repeat(everyMs, async () => settleAll(service), log),
    repeat(forgetEveryMs, async () => service.forgetAnswers(), log),
  ];
  return {
    url: reachable(url),
    service,
    close: async () => {
      const sweep = setInterval(() => {
        app.server.closeIdleConnections();
        if (unanswered === 0) app.server.closeAllConnections(); // the rest has not asked anything
      }, 50);
      const cut = setTimeout(() => app.server.closeAllConnections(), shutdownMs);
      await app.close();
      clearInterval(sweep);
      clearTimeout(cut);
      await Promise.all(loops.map(async (stop) => stop()));
      await close();
    },
  };
}

async function settleAll(service: Service): Promise<void> {
  for (let rounds = 0; rounds < 100; rounds++) {
    if ((await service.settlePayments()) === 0) return;
  }
}

/** Does a piece of work again and again with a pause between; a failure is logged, not final. */
function repeat(pauseMs: number, work: () => Promise<unknown>, log?: Log): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const running = (async () => {
    while (!signal.aborted) {
      await work().catch((error: unknown) =>
        log?.error({ err: maskedError(error) }, "background work failed"),
      );
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  })();
  return async () => {
    stopped.abort();
    await running;
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
