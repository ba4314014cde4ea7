import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiKey } from "../../../../contract/key.ts";
import { nameMistake } from "../../../../contract/names.ts";
import { formOf } from "../../../http/form-body.ts";
import { hasEnded } from "../../../accounts/manage-keys.ts";
import { ServiceError } from "../../../domain/service-error.ts";
import type { Service } from "../../../use-cases/service.ts";
import { isFirstSent, newFormKey } from "../idempotent-forms.ts";
import { overlapHours } from "../overlap.ts";
import { underAccount } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import {
  allKeys,
  keysView,
  newKeyView,
  revokeKeyView,
  rollKeyView,
  type NewKeyForm,
} from "../views/keys-view.ts";
import { sentBeforeView } from "../views/shown-once-view.ts";
import type { Visit } from "../visit.ts";

const path = `${underAccount}/keys`;
const hourMs = 60 * 60 * 1000;
type WithId = FastifyRequest<{ Params: { id: string } }>;

const sentBefore = (visit: Visit) => sentBeforeView({ place: "keys", back: allKeys(visit) });

/** The keys of an account and mode: a new one is shown by the answer to the form that made it, and nowhere else. */
export function keyRoutes(app: FastifyInstance, service: Service): void {
  const list = async (visit: Visit, form: NewKeyForm) =>
    keysView(visit, await keysOf(service, visit), { form, nowMs: Date.now() });

  app.get(path, async ({ visit }, reply) =>
    sendView(reply, await list(visit, { key: newFormKey(), name: "" })),
  );

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const { key, name } = formOf(request, ["key", "name"]);
    const mistake = nameMistake(name);
    if (mistake !== undefined) {
      const form = { key, name, mistake: `The name ${mistake}.` };
      return sendView(reply, await list(visit, form), 422);
    }
    if (!(await isFirstSent(service, request, key))) return sendView(reply, sentBefore(visit), 409);
    const asked = { account: visit.account.id, mode: visit.mode, name };
    const issued = await service.createKey(asked, visit.actor);
    return sendView(reply, newKeyView(visit, issued), 201);
  });

  app.get(`${path}/:id/roll`, async ({ visit, params }: WithId, reply) => {
    const key = await findWorking(service, visit, params.id);
    return sendView(reply, rollKeyView(visit, key, newFormKey()));
  });

  app.post(`${path}/:id/roll`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key, overlap } = formOf(request, ["key", "overlap"]);
    const overlapMs = overlapHours(overlap) * hourMs;
    if (!(await isFirstSent(service, request, key))) return sendView(reply, sentBefore(visit), 409);
    const old = await findWorking(service, visit, params.id);
    const issued = await service.rollKey(old, overlapMs, visit.actor);
    if (!issued) throw missing();
    return sendView(reply, newKeyView(visit, issued), 201);
  });

  app.get(`${path}/:id/revoke`, async ({ visit, params }: WithId, reply) =>
    sendView(reply, revokeKeyView(visit, await findWorking(service, visit, params.id))),
  );

  app.post(`${path}/:id/revoke`, async (request: WithId, reply) => {
    const { visit, params } = request;
    formOf(request, []);
    await service.revokeKey(await find(service, visit, params.id), visit.actor);
    return reply.redirect(allKeys(visit).address, 303);
  });
}

/** The keys of an account and mode, newest first. */
async function keysOf(service: Service, { account, mode }: Visit): Promise<ApiKey[]> {
  const keys = await service.listKeys(account.id);
  return keys.filter((key) => key.mode === mode).toReversed();
}

/** Errors: resource_missing. */
async function find(service: Service, visit: Visit, id: string): Promise<ApiKey> {
  const key = (await keysOf(service, visit)).find((each) => each.id === id);
  if (!key) throw missing();
  return key;
}

/** The same of keys that have not ended. */
async function findWorking(service: Service, visit: Visit, id: string): Promise<ApiKey> {
  const key = await find(service, visit, id);
  if (hasEnded(key, Date.now())) throw missing();
  return key;
}

function missing(): ServiceError {
  return new ServiceError("resource_missing", "There is no such key that works.");
}
