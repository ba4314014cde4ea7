import { text } from "node:stream/consumers";
import { modes, type Mode } from "../../contract/key.ts";
import type { Route } from "../../contract/routes.ts";
import { createApp } from "../http/app.ts";
import { openService, settleAll } from "./open-service.ts";
import { placeOf } from "../store/database.ts";
import { Unavailable } from "../../contract/failures.ts";
import type { ServiceSettings } from "./settings.ts";

export type EmbeddedSettings = ServiceSettings & {
  docsUrl: string;
  /** The embedded service's own keys, and the file that holds them. */
  keys: Record<Mode, string>;
  keyFile: string;
};
type Call = {
  method: Route["method"];
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/**
 * The whole service in this process, without a port: the same app over the same store, called
 * directly. Payments left pending are settled whenever it is used. A refusal that lasts, such as that
 * of a full disk, is thrown and not answered: whoever is answered would only try again.
 */
export async function embed(settings: EmbeddedSettings) {
  // Others work on a PostgreSQL, too: its schema is for payments migrate and payments serve to change.
  const migrates = "file" in placeOf(settings.database);
  const { service, close } = await openService(settings, { migrates });
  for (const mode of modes) {
    const active = await service.adoptKey(settings.keys[mode], { mode, name: "embedded" });
    if (active) continue;
    await close();
    throw new Unavailable(
      `The embedded service's own ${mode} key was revoked or has expired. Delete ${settings.keyFile}, and the next command makes new ones.`,
    );
  }
  const lasting = new Map<string, Unavailable>();
  const app = createApp(service, {
    docsUrl: () => settings.docsUrl,
    toOwner: true,
    failed: (error, requestId) => {
      if (error instanceof Unavailable && error.lasts) lasting.set(requestId, error);
    },
  });
  return {
    call: async ({ method, path, headers, body }: Call) => {
      await settleAll(service.settlePayments).catch(ignored);
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
      if (method === "POST") await service.forgetSomeAnswers().catch(ignored);
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
