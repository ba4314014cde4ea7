import { createPayPages } from "../web/checkout/pay.ts";
import { text } from "node:stream/consumers";
import type { Account } from "../../contract/account.ts";
import type { Actor } from "../ports/activity.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { keyPrefix, modes, type Mode } from "../../contract/key.ts";
import type { Route } from "../../contract/routes.ts";
import { createApp } from "../http/app.ts";
import { secretLength } from "../ports/ports.ts";
import { invalidKeyError } from "../accounts/authenticate.ts";
import type { Service } from "../use-cases/service.ts";
import { ids } from "./ids.ts";
import { openService, settleAll, type OpenService } from "./open-service.ts";
import type { ServiceSettings } from "./serve-settings.ts";

type Embedding = ServiceSettings & { docsUrl: string };

export type EmbeddedSettings = Embedding & {
  /** The embedded service's own keys, and the file that holds them. */
  keys: Record<Mode, string>;
  keyFile: string;
};

export type KeylessSettings = Embedding & {
  /** Whether the database may be begun, or brought up to date. */
  begins: boolean;
  mode: Mode;
  /** As whom the command does what it does. */
  actor: Actor;
  /** Which account it acts in, of all that there are. */
  chooseAccount: (accounts: readonly Account[]) => Account;
  /** Whether the caller has a key after all: then that says the account. */
  hasKey: boolean;
};

type Call = {
  method: Route["method"];
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/**
 * The whole service in this process, over the user's own database, without a port: the same app over the
 * same store, called directly. Payments left pending are settled whenever it is used.
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
  return callDirectly({ service, close }, settings, { settlesAtOnce: true });
}

/**
 * The same over a database that others may work on, too: who may open it may act in it, so that no key is
 * written there. `apiKey` is known to this process alone. A read writes nothing; payments left pending are
 * settled by a command that writes anyway.
 */
export async function embedWithoutOwnKeys(settings: KeylessSettings) {
  const { begins, mode } = settings;
  const opened = await openService(settings, { migrates: begins, begins });
  try {
    const apiKey = keyPrefix(mode) + ids.secret(secretLength);
    const service = settings.hasKey
      ? opened.service
      : await actingWithoutKey(opened.service, apiKey, settings);
    const { call, close } = callDirectly({ ...opened, service }, settings, {
      settlesAtOnce: false,
    });
    return { call, close, apiKey };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** A service that takes one key more, for the account that the command chose. */
async function actingWithoutKey(
  service: Service,
  apiKey: string,
  { mode, actor, chooseAccount }: KeylessSettings,
): Promise<Service> {
  const { id } = chooseAccount(await service.listAccounts());
  const acting = await service.toPrincipal({ accountId: id, livemode: mode === "live" });
  if (!acting) throw invalidKeyError();
  const principal = { ...acting, keyId: "command", actor };
  return {
    ...service,
    authenticate: async (authorization) =>
      authorization === `Bearer ${apiKey}` ? principal : service.authenticate(authorization),
  };
}

/** A refusal that lasts, such as that of a full disk, is thrown and not answered: whoever is answered would only try again. */
function callDirectly(
  { service, close }: OpenService,
  { docsUrl }: Embedding,
  { settlesAtOnce }: { settlesAtOnce: boolean },
) {
  const lasting = new Map<string, Unavailable>();
  const app = createApp(service, {
    docsUrl: () => docsUrl,
    pages: [createPayPages(service, () => "")],
    toOwner: true,
    failed: (error, requestId) => {
      if (error instanceof Unavailable && error.isPermanent) lasting.set(requestId, error);
    },
  });
  let settles = settlesAtOnce;
  return {
    call: async ({ method, path, headers, body }: Call) => {
      settles ||= method !== "GET";
      if (settles) await settleAll(service.settlePayments).catch(ignored);
      // As a stream: what an answer is written to lives long in V8's heap, and would keep its body.
      const answer = await app.inject({
        payloadAsStream: true,
        method,
        url: path,
        headers,
        ...(body !== undefined && { payload: body }),
      });
      const received = await text(answer.stream());
      const requestId = String(answer.headers["service-request-id"]);
      const refusal = lasting.get(requestId);
      lasting.delete(requestId);
      if (refusal) throw refusal;
      if (method === "POST") await service.purgeSomeIdempotencyRecords().catch(ignored);
      return {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string>,
        body: received,
      };
    },
    close,
  };
}

/** Housekeeping that fails is done by a later command; it never hides the answer of this one. */
function ignored(): void {}
