import { describe, expect, test } from "vitest";
import type { Mode } from "../../../../src/contract/key.ts";
import type {
  CreateEndpointBody,
  WebhookEndpoint,
} from "../../../../src/contract/webhook-endpoint.ts";
import type { Around } from "../../../testkit/app/open-app.ts";
import { formKeyIn, formKeysIn, secretIn } from "../../../testkit/pages/form-in.ts";
import { command, openDashboard, saidIn } from "../../../testkit/pages/open-dashboard.ts";

const url = "https://shop.example/hooks";

/** Somebody who may manage webhooks, and the endpoints that the service knows. */
async function openWebhooks({ mode = "test", around }: { mode?: Mode; around?: Around } = {}) {
  const opened = await openDashboard(around);
  const { signIn, at, service, accountId } = opened;
  const scope = { accountId, livemode: mode === "live" };
  const admin = await signIn();
  return {
    ...opened,
    ...admin,
    scope,
    page: at("/webhooks", mode),
    endpoints: async () => (await service.listEndpoints(scope, {})).items,
    make: async (body: Partial<CreateEndpointBody> = {}) => {
      const answer = await service.createEndpoint(scope, { url, ...body }, undefined, command);
      return JSON.parse(answer.body) as WebhookEndpoint & { secret: string };
    },
    done: async () => {
      const { items } = await service.listActivity(accountId, { limit: 100 });
      const own = items.filter(({ actor }) => actor.id === admin.operatorId);
      return own.map(({ action }) => action).filter((action) => !action.startsWith("operator."));
    },
  };
}

describe("the endpoints", () => {
  test("are those of the account and mode, with their state; listeners stand apart", async () => {
    const { get, page, make, service, scope, at } = await openWebhooks();
    const { id } = await make({ description: "<b>Shop</b>", events: ["payment.failed"] });
    const off = await make({ url: "https://shop.example/off" });
    await service.updateEndpoint(scope, { id: off.id, body: { status: "disabled" } });
    await make({ url: null, description: "ada@laptop" });
    const other = await service.createAccount({ name: "Other" });
    await service.createEndpoint({ ...scope, accountId: other.id }, { url: `${url}/foreign` });
    const answer = await get(page);
    const said = saidIn(answer);
    expect(said).toMatch(
      /shop\.example\/off disabled all .*shop\.example\/hooks enabled payment\.failed .*Listeners .*ada@laptop all/,
    );
    expect(answer.text).toContain("&lt;b&gt;Shop");
    expect(answer.text).toContain(at(`/webhooks/${id}`));
    expect(said).not.toContain("foreign");
    expect(saidIn(await get(at("/webhooks", "live")))).toContain("No live endpoints yet");
  });

  test("say since when nothing has reached them, and why one was disabled", async () => {
    const gone = { status: "disabled", disabledReason: "gone" } as const;
    const failing = { failingSinceMs: Date.UTC(2026, 10, 22, 9, 30) };
    const around: Around = {
      store: (store) => ({
        ...store,
        listEndpoints: async (scope) => {
          const endpoints = await store.listEndpoints(scope);
          return endpoints.map((each) =>
            Object.assign(each, each.url?.endsWith("gone") ? gone : failing),
          );
        },
      }),
    };
    const { get, page, make } = await openWebhooks({ around });
    await make();
    await make({ url: "https://shop.example/gone" });
    const said = saidIn(await get(page));
    expect(said).toContain("failing since 22 Nov 2026, 09:30 UTC");
    expect(said).toContain("disabled It answered that it is gone (410).");
  });
});

describe("a new endpoint", () => {
  test("has a secret that is shown this once", async () => {
    const { get, post, page, endpoints, done } = await openWebhooks({ mode: "live" });
    const fields = {
      key: formKeyIn(await get(page)),
      url,
      description: "<i>Shop</i>",
      "payment.failed": "on",
    };
    const answer = await post(page, fields);
    expect(answer.status).toBe(201);
    const secret = secretIn(answer) ?? "";
    expect(secret).toMatch(/^whsec_/);
    expect(answer.text).toContain("&lt;i&gt;Shop");
    const again = await post(page, fields);
    expect(again.status).toBe(409);
    expect(again.text).not.toContain(secret);
    const [endpoint, ...others] = await endpoints();
    expect(others).toEqual([]);
    expect(endpoint).toMatchObject({ url, events: ["payment.failed"], livemode: true });
    expect((await get(`${page}/${endpoint?.id}`)).text).not.toContain(secret);
    expect(await done()).toEqual(["webhook_endpoint.created"]);
  });

  test("is told of all events where none is chosen", async () => {
    const { get, post, page, endpoints } = await openWebhooks();
    await post(page, { key: formKeyIn(await get(page)), url });
    expect(await endpoints()).toMatchObject([{ events: ["*"], description: null }]);
  });

  test("comes back with what was typed and what is wrong, and is made when that is mended", async () => {
    const { get, post, page, endpoints } = await openWebhooks();
    const key = formKeyIn(await get(page));
    const fields = { key, url: 'no" <b>', description: "x".repeat(501), "payment.failed": "on" };
    const answer = await post(page, fields);
    expect(answer.status).toBe(422);
    const said = saidIn(answer);
    expect(said).toContain("The address must be an https address");
    expect(said).toContain("The description must be a string of at most 500 characters");
    expect(answer.text).toContain('value="no&quot; &lt;b&gt;"');
    expect(answer.text).toMatch(/name="payment.failed"\s+checked/);
    expect(await endpoints()).toEqual([]);
    expect((await post(page, { key, url })).status).toBe(201);
  });

  test("is not one too many, nor told over plain http of live payments", async () => {
    const around = { webhooks: { allowsPrivate: false } };
    const { get, post, page, make, at } = await openWebhooks({ around });
    const live = at("/webhooks", "live");
    const plain = await post(live, { key: formKeyIn(await get(live)), url: "http://shop.example" });
    expect(plain.status).toBe(422);
    expect(saidIn(plain)).toContain("The address must be an https address in live mode.");
    for (let count = 0; count < 16; count++) await make({ url: `${url}/${count}` });
    const answer = await post(page, { key: formKeyIn(await get(page)), url });
    expect(answer.status).toBe(422);
    expect(saidIn(answer)).toContain("The address cannot be added: there are 16 webhook endpoints");
  });
});

describe("an endpoint", () => {
  test("has its fields and its deliveries, newest first, a page at a time", async () => {
    const { get, page, make, pay } = await openWebhooks();
    const { id } = await make({ description: "</dd><script>x</script>" });
    for (let count = 0; count < 27; count++) await pay();
    const first = await get(`${page}/${id}`);
    expect(saidIn(first)).toMatch(/payment\.succeeded pending not sent yet 0/);
    expect(first.text.match(/<script/g)).toHaveLength(1);
    expect(first.text.match(/>\s*Resend</g)).toHaveLength(25);
    expect(first.text).not.toContain('rel="prev"');
    const second = await get(linkIn(first.text, "next"));
    expect(second.text.match(/>\s*Resend</g)).toHaveLength(2);
    expect(second.text).not.toContain('rel="next"');
    const back = await get(linkIn(second.text, "prev"));
    expect(back.text.match(/>\s*Resend</g)).toHaveLength(25);
    expect((await get(`${page}/${id}?starting_after=del_x`)).status).toBe(400);
    expect((await get(`${page}/${id}?starting_after=nonsense`)).status).toBe(400);
  });

  test("has what it answered last in words, and said once", async () => {
    const refused = { attempts: 1, lastStatus: 503, lastError: "the endpoint answered 503" };
    const around: Around = {
      store: (store) => ({
        ...store,
        listDeliveries: async (...asked) => {
          const { items, hasMore } = await store.listDeliveries(...asked);
          return { items: items.map((each) => Object.assign(each, refused)), hasMore };
        },
      }),
    };
    const { get, page, make, pay } = await openWebhooks({ around });
    const { id } = await make();
    await pay();
    expect(saidIn(await get(`${page}/${id}`))).toContain("pending the endpoint answered 503 1");
  });

  test("is sent an event again, once by its form however often that is sent", async () => {
    const { get, post, page, make, pay, service, scope, done } = await openWebhooks();
    const { id } = await make();
    await pay();
    const shown = await get(`${page}/${id}`);
    const [key = ""] = formKeysIn(shown);
    const event = /name="event"\s+value="([^"]+)"/.exec(shown.text)?.[1] ?? "";
    for (const _ of [1, 2]) {
      const answer = await post(`${page}/${id}/resend`, { key, event });
      expect([answer.status, answer.headers["location"]]).toEqual([303, `${page}/${id}`]);
    }
    expect((await service.listDeliveries(scope, id, {})).items).toHaveLength(2);
    expect(await done()).toEqual(["event.resent"]);
    const unknown = { key: crypto.randomUUID(), event: "evt_x" };
    expect((await post(`${page}/${id}/resend`, unknown)).status).toBe(404);
  });

  test("that was disabled meanwhile says so to whoever resends to it", async () => {
    const { get, post, page, make, pay } = await openWebhooks();
    const { id } = await make();
    await pay();
    const shown = await get(`${page}/${id}`);
    const [key = ""] = formKeysIn(shown);
    const event = /name="event"\s+value="([^"]+)"/.exec(shown.text)?.[1] ?? "";
    await post(`${page}/${id}/disable`);
    const answer = await post(`${page}/${id}/resend`, { key, event });
    expect(answer.status).toBe(422);
    expect(saidIn(answer)).toContain("The endpoint is disabled, so nothing was sent.");
    await post(`${page}/${id}/enable`);
    expect((await post(`${page}/${id}/resend`, { key, event })).status).toBe(303);
  });

  test("gets a new secret, shown this once, beside which the old one signs for the overlap", async () => {
    const { get, post, page, make, done } = await openWebhooks();
    const { id, secret } = await make();
    const asks = await get(`${page}/${id}/roll`);
    expect(saidIn(asks)).toContain("Events are signed with both secrets");
    const fields = { key: formKeyIn(asks), overlap: "24" };
    const answer = await post(`${page}/${id}/roll`, fields);
    expect(answer.status).toBe(201);
    expect(secretIn(answer)).toMatch(/^whsec_/);
    expect(secretIn(answer)).not.toBe(secret);
    const again = await post(`${page}/${id}/roll`, fields);
    expect([again.status, secretIn(again)]).toEqual([409, undefined]);
    expect(saidIn(await get(`${page}/${id}`))).toContain("Old secret signs until");
    expect((await post(`${page}/${id}/roll`, { ...fields, overlap: "5" })).status).toBe(400);
    expect(await done()).toEqual(["webhook_endpoint.rolled"]);
  });

  test("is disabled after it is asked for again, and enabled", async () => {
    const { get, post, page, make, endpoints, done, pay } = await openWebhooks();
    const { id } = await make();
    await pay();
    expect(saidIn(await get(`${page}/${id}/disable`))).toContain("Nothing is sent to it until");
    for (const [verb, status] of [
      ["disable", "disabled"],
      ["enable", "enabled"],
    ]) {
      for (const _ of [1, 2]) {
        const answer = await post(`${page}/${id}/${verb}`);
        expect([answer.status, answer.headers["location"]]).toEqual([303, `${page}/${id}`]);
      }
      expect(await endpoints()).toMatchObject([{ status }]);
      expect(/>\s*Resend</.test((await get(`${page}/${id}`)).text)).toBe(status === "enabled");
    }
    expect(await done()).toEqual(["webhook_endpoint.enabled", "webhook_endpoint.disabled"]);
  });

  test("is deleted after it is asked for again", async () => {
    const { get, post, page, make, endpoints, done } = await openWebhooks();
    const { id } = await make();
    expect(saidIn(await get(`${page}/${id}/delete`))).toContain("deleted for good");
    expect(await endpoints()).toHaveLength(1);
    const answer = await post(`${page}/${id}/delete`);
    expect([answer.status, answer.headers["location"]]).toEqual([303, page]);
    expect(await endpoints()).toEqual([]);
    expect((await post(`${page}/${id}/delete`)).status).toBe(404);
    expect(await done()).toEqual(["webhook_endpoint.deleted"]);
  });

  test("that is a listener has no address, state or secret to change, and can be deleted", async () => {
    const { get, post, page, make, endpoints } = await openWebhooks();
    const { id } = await make({ url: null });
    const shown = await get(`${page}/${id}`);
    expect(shown.text).toMatch(/<h1>\s*Listener/);
    expect(saidIn(shown)).not.toMatch(/Address|State|Roll secret|Disable/);
    for (const what of ["roll", "disable", "enable"]) {
      const fields = what === "roll" ? { key: "k", overlap: "0" } : {};
      expect((await post(`${page}/${id}/${what}`, fields)).status).toBe(404);
    }
    expect((await post(`${page}/${id}/delete`)).status).toBe(303);
    expect(await endpoints()).toEqual([]);
  });

  test("of another account or mode is not there", async () => {
    const { get, post, page, make, at, service, scope, endpoints, pay } = await openWebhooks();
    const { id } = await make();
    await pay();
    const other = await service.createAccount({ name: "Other" });
    const there = { ...scope, accountId: other.id };
    const foreign = JSON.parse((await service.createEndpoint(there, { url })).body) as {
      id: string;
    };
    const [{ event } = { event: "" }] = (await service.listDeliveries(scope, id, {})).items;
    const forms = {
      roll: { key: crypto.randomUUID(), overlap: "0" },
      disable: {},
      enable: {},
      delete: {},
      resend: { key: crypto.randomUUID(), event },
    };
    for (const endpoint of [`${page}/${foreign.id}`, at(`/webhooks/${id}`, "live")]) {
      expect((await get(endpoint)).status).toBe(404);
      for (const [what, fields] of Object.entries(forms)) {
        expect((await post(`${endpoint}/${what}`, fields)).status).toBe(404);
      }
    }
    expect(await service.listEndpoints(there, {})).toMatchObject({ items: [{ id: foreign.id }] });
    expect(await endpoints()).toMatchObject([{ id, status: "enabled" }]);
  });
});

function linkIn(text: string, rel: string): string {
  const tag = new RegExp(`<a[^>]*rel="${rel}"[^>]*>`).exec(text)?.[0] ?? "";
  return (/href="([^"]+)"/.exec(tag)?.[1] ?? "").replaceAll("&amp;", "&");
}
