import { text } from "node:stream/consumers";
import { purgeSomeIdempotencyRecords } from "../idempotency/run-idempotently.ts";
import { adoptKey, listAccounts, toPrincipal } from "../accounts/manage-accounts.ts";
import { type Account, type Actor, keyPrefix } from "../../contract/administration.ts";
import { type Mode, modes } from "../../contract/field-values.ts";
import type { TransportRequest } from "../../runtime/http-transport.ts";
import { routes } from "../../contract/routes.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { createInvalidKeyError } from "../accounts/authenticate.ts";
import { createApp } from "../http/app.ts";
import { runUntilIdle } from "../database/due-work.ts";
import { fullGrant, secretLength } from "../accounts/accounts-service.ts";
import type { Service } from "../service.ts";
import { ids } from "../database/ids.ts";
import { openService, type OpenService } from "./open-service.ts";
import type { ServiceSettings } from "./service-settings.ts";

type Embedding = ServiceSettings & { docsUrl: string };

export type EmbeddedSettings = Embedding & {
  /** The embedded service's own keys, and the file that holds them. */
  keys: Record<Mode, string>;
  keyFile: string;
};

export type KeylessSettings = Embedding & {
  /** Whether an older schema is migrated. A missing database is never created: it would have no account to choose. */
  migrates: boolean;
  mode: Mode;
  /** The actor in the audit log. */
  actor: Actor;
  chooseAccount: (accounts: readonly Account[]) => Account;
  /** Whether the caller sends a key of its own, which then decides the account. */
  hasKey: boolean;
};

/** How long a command indexes payments; a repeated one goes on. */
const maxIndexingMs = 5_000;

type Call = Pick<TransportRequest, "method" | "path" | "headers" | "body">;

/**
 * The whole service in this process, over the user's own database: the same app over the same store, called
 * without a port. Pending payments that are due are settled at every call.
 */
export async function embed(settings: EmbeddedSettings) {
  const opened = await openService(settings);
  for (const mode of modes) {
    const active = await adoptKey(opened.service, settings.keys[mode], { mode, name: "embedded" });
    if (active) continue;
    await opened.close();
    throw new Unavailable(
      `The embedded service's own ${mode} key was revoked or has expired. Delete ${settings.keyFile}, and the next command makes new ones.`,
    );
  }
  return callInProcess(opened, settings, { settlesOnRead: true });
}

/**
 * The same over a database that other users may share. Access to the database is permission enough, so no key is
 * written there: only this process knows `apiKey`. A read writes nothing: pending payments that are due are
 * settled by commands that write anyway.
 */
export async function embedWithoutOwnKeys(settings: KeylessSettings) {
  const { migrates, mode, hasKey } = settings;
  const opened = await openService(settings, {
    migrates,
    createsDatabase: false,
    requestLog: { logsReads: false },
  });
  try {
    const apiKey = keyPrefix(mode) + ids.secret(secretLength);
    const service = hasKey ? opened.service : await acceptKey(opened.service, apiKey, settings);
    return { ...callInProcess({ ...opened, service }, settings, { settlesOnRead: false }), apiKey };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** A service that accepts one key more, for the account that the command chose. */
async function acceptKey(
  service: Service,
  apiKey: string,
  { mode, actor, chooseAccount }: KeylessSettings,
): Promise<Service> {
  const { id } = chooseAccount(await listAccounts(service));
  const found = await toPrincipal(service, { accountId: id, livemode: mode === "live" });
  if (!found) throw createInvalidKeyError();
  const principal = { ...found, ...fullGrant, keyId: "command", actor };
  return { ...service, guests: { principals: new Map([[`Bearer ${apiKey}`, principal]]) } };
}

/**
 * Only the API: no customer can open a page of a service that does not listen, and none is made.
 * A permanent failure, such as a full disk, is thrown and not answered: the client would retry an answer.
 */
function callInProcess(
  { service, close }: OpenService,
  { docsUrl }: Embedding,
  { settlesOnRead }: { settlesOnRead: boolean },
) {
  const permanent = new Map<string, Unavailable>();
  const app = createApp(service, {
    docsUrl: () => docsUrl,
    forOperator: true,
    onError: (error, requestId) => {
      if (error instanceof Unavailable && error.isPermanent) permanent.set(requestId, error);
    },
  });
  let settles = settlesOnRead;
  // As a stream: a response that light-my-request collects stays long in V8's heap, with its body.
  const inject = async ({ method, path, headers, body }: Call) =>
    app.inject({
      payloadAsStream: true,
      method,
      url: path,
      headers,
      ...(body !== undefined && { payload: body }),
    });
  return {
    call: async (call: Call) => {
      const { method } = call;
      settles ||= method !== "GET";
      if (settles) await runUntilIdle(service.settlePayments).catch(ignoreError);
      let response = await inject(call);
      if (response.statusCode === 503 && isSearch(call) && settles) {
        // No service has indexed the payments.
        await indexSome(service).catch(ignoreError);
        response = await inject(call);
      }
      const received = await text(response.stream());
      const requestId = String(response.headers["service-request-id"]);
      const failure = permanent.get(requestId);
      permanent.delete(requestId);
      if (failure) throw failure;
      // Its log has no read that failed, so the response must not look like a logged one.
      if (method === "GET" && !service.requestLog.logsReads)
        delete response.headers["service-version"];
      if (method === "POST") await purgeSomeIdempotencyRecords(service).catch(ignoreError);
      return {
        status: response.statusCode,
        headers: response.headers as Record<string, string>,
        body: received,
      };
    },
    close: async () => {
      await service.flushRequests();
      await service.purgeWrittenRequests().catch(ignoreError);
      await close();
    },
  };
}

function isSearch({ method, path }: Call): boolean {
  return method === "GET" && path.startsWith(`${routes.listPayments.path}?`);
}

/** Indexes payments for some seconds, or until all are indexed. */
async function indexSome(service: Service): Promise<void> {
  const signal = AbortSignal.timeout(maxIndexingMs);
  for (let isDone = false; !isDone && !signal.aborted;) {
    const { indexed, merged } = await service.indexPayments(signal);
    await merged;
    isDone = indexed === 0;
  }
}

/** Housekeeping that fails is done by a later command, and hides no response. */
function ignoreError(): void {}
