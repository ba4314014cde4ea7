import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiKey } from "../../../../contract/key.ts";
import { findNameMistake } from "../../../../contract/account.ts";
import { getForm } from "../../../http/form-body.ts";
import { isKeyEnded } from "../../../accounts/manage-keys.ts";
import { ServiceError } from "../../../domain/service-error.ts";
import type { Service } from "../../../use-cases/service.ts";
import { isFirstSubmission, createFormKey } from "../idempotent-forms.ts";
import { parseOverlap } from "../overlap.ts";
import { accountPath } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import {
  renderKeysLink,
  renderKeys,
  renderNewKey,
  renderRevokeKey,
  renderRollKey,
  type NewKeyForm,
} from "../views/keys-view.ts";
import { renderSentBefore } from "../views/shown-once-view.ts";
import type { Visit } from "../visit.ts";

const path = `${accountPath}/keys`;
const hourMs = 60 * 60 * 1000;
type WithId = FastifyRequest<{ Params: { id: string } }>;

const sentBefore = (visit: Visit) =>
  renderSentBefore({ place: "keys", back: renderKeysLink(visit) });

/** The keys of an account and mode: a new one is shown by the answer to the form that made it, and nowhere else. */
export function registerKeyRoutes(app: FastifyInstance, service: Service): void {
  const list = async (visit: Visit, form: NewKeyForm) =>
    renderKeys(visit, await keysOf(service, visit), { form, nowMs: Date.now() });

  app.get(path, async ({ visit }, reply) =>
    sendView(reply, await list(visit, { key: createFormKey(), name: "" })),
  );

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const { key, name } = getForm(request, ["key", "name"]);
    const mistake = findNameMistake(name);
    if (mistake !== undefined) {
      const form = { key, name, mistake: `The name ${mistake}.` };
      return sendView(reply, await list(visit, form), 422);
    }
    if (!(await isFirstSubmission(service, request, key)))
      return sendView(reply, sentBefore(visit), 409);
    const asked = { account: visit.account.id, mode: visit.mode, name };
    const issued = await service.createKey(asked, visit.actor);
    return sendView(reply, renderNewKey(visit, issued), 201);
  });

  app.get(`${path}/:id/roll`, async ({ visit, params }: WithId, reply) => {
    const key = await findWorking(service, visit, params.id);
    return sendView(reply, renderRollKey(visit, key, createFormKey()));
  });

  app.post(`${path}/:id/roll`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key, overlap } = getForm(request, ["key", "overlap"]);
    const overlapMs = parseOverlap(overlap) * hourMs;
    if (!(await isFirstSubmission(service, request, key)))
      return sendView(reply, sentBefore(visit), 409);
    const old = await findWorking(service, visit, params.id);
    const issued = await service.rollKey(old, overlapMs, visit.actor);
    if (!issued) throw missing();
    return sendView(reply, renderNewKey(visit, issued), 201);
  });

  app.get(`${path}/:id/revoke`, async ({ visit, params }: WithId, reply) =>
    sendView(reply, renderRevokeKey(visit, await findWorking(service, visit, params.id))),
  );

  app.post(`${path}/:id/revoke`, async (request: WithId, reply) => {
    const { visit, params } = request;
    getForm(request, []);
    await service.revokeKey(await find(service, visit, params.id), visit.actor);
    return reply.redirect(renderKeysLink(visit).address, 303);
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
  if (isKeyEnded(key, Date.now())) throw missing();
  return key;
}

function missing(): ServiceError {
  return new ServiceError("resource_missing", "There is no such key that works.");
}
