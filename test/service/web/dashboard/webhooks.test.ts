import { describe, expect, test } from "vitest";
import type { Mode } from "../../../../src/contract/field-values.ts";
import type { Around } from "../../../testkit/app/open-app.ts";
import { formKeyOf, openDashboard, textOf } from "../../../testkit/pages/open-dashboard.ts";

const url = "https://shop.example/hooks";

/** An admin, and the page of the webhooks of a mode. */
async function openWebhooks({ mode = "test", around }: { mode?: Mode; around?: Around } = {}) {
  const opened = await openDashboard(around);
  const { signIn, at, service, accountId, createEndpoint } = opened;
  const scope = { accountId, livemode: mode === "live" };
  return {
    ...opened,
    ...(await signIn()),
    scope,
    page: at("/webhooks", mode),
    endpoints: async () => (await service.listEndpoints(scope, {})).items,
    make: async (fields: Parameters<typeof createEndpoint>[0] = {}) => createEndpoint(fields, mode),
  };
}

describe("the endpoints", () => {
  test("are those of the account and mode, with their state; listeners are listed separately", async () => {
    const { get, page, make, service, scope, at } = await openWebhooks();
    const { id } = await make({ events: ["payment.failed"] });
    const off = await make({ url: "https://shop.example/off" });
    await service.updateEndpoint(scope, { id: off.id, body: { status: "disabled" } });
    await make({ url: null, description: "ada@laptop" });
    const other = await service.createAccount({ name: "Other" });
    await service.createEndpoint({ ...scope, accountId: other.id }, { url: `${url}/foreign` });
    const answer = await get(page);
    expect(textOf(answer)).toMatch(
      /shop\.example\/off Disabled None All events .*shop\.example\/hooks Enabled None payment\.failed .*Listeners .*ada@laptop All events/,
    );
    expect(answer.text).toContain(at(`/webhooks/${id}`));
    expect(answer.text).not.toContain("foreign");
    expect(textOf(await get(at("/webhooks", "live")))).toContain("No live endpoints yet");
  });

  test("have the time since which deliveries fail, and the reason why one was disabled", async () => {
    const gone = { status: "disabled", disabledReason: "gone" } as const;
    const failing = { failingSinceMs: Date.UTC(2026, 10, 22, 9, 30) };
    const around: Around = {
      store: (store) => ({
        ...store,
        listEndpoints: async (scope) =>
          (await store.listEndpoints(scope)).map((each) =>
            Object.assign(each, each.url?.endsWith("gone") ? gone : failing),
          ),
      }),
    };
    const { get, page, make } = await openWebhooks({ around });
    await make();
    await make({ url: "https://shop.example/gone" });
    const text = textOf(await get(page));
    expect(text).toContain("Failing since 22 Nov 2026, 09:30 UTC");
    expect(text).toContain("Disabled Responded with 410 Gone");
  });
});

describe("a new endpoint", () => {
  test.each([
    [{ "payment.failed": "on", description: "Shop" }, ["payment.failed"], "Shop"],
    [{}, ["*"], null],
  ])("with %j is subscribed to the chosen events, or all", async (fields, events, description) => {
    const { get, post, page, endpoints } = await openWebhooks({ mode: "live" });
    await post(page, { key: formKeyOf(await get(page)), url, ...fields });
    expect(await endpoints()).toMatchObject([{ url, events, description, livemode: true }]);
  });

  test("preserves the input of a form with a mistake, and is created after the correction", async () => {
    const { get, post, page, endpoints } = await openWebhooks();
    const key = formKeyOf(await get(page));
    const answer = await post(page, { key, url: "no", "payment.failed": "on" });
    expect(answer.text).toMatch(/name="payment.failed"\s+checked/);
    expect((await post(page, { key, url })).status).toBe(201);
    expect(await endpoints()).toHaveLength(1);
  });
});

describe("an endpoint", () => {
  test("shows the error of its last response once", async () => {
    const refused = { attempts: 1, lastStatus: 503, lastError: "the endpoint answered 503" };
    const around: Around = {
      store: (store) => ({
        ...store,
        listDeliveries: async (...query) => {
          const { items, hasMore } = await store.listDeliveries(...query);
          return { items: items.map((each) => Object.assign(each, refused)), hasMore };
        },
      }),
    };
    const { get, page, make, pay } = await openWebhooks({ around });
    const { id } = await make();
    await pay();
    expect(textOf(await get(`${page}/${id}`))).toMatch(/Retrying Responded with 503 .{20,25} 1 /);
  });

  test("shows each delivery's tries, and what it answered as text, also to a test", async () => {
    const hostile = `<script>alert(1)</script>\u001b[2J\u202e\nsecond`;
    const answered = { status: 503, error: "the endpoint answered 503", answer: hostile };
    const around: Around = {
      sender: { send: async () => ({ outcome: "failed", ...answered }) },
      store: (store) => ({
        ...store,
        findDelivery: async (...which) => {
          const found = await store.findDelivery(...which);
          return found && { ...found, tries: [{ created: 1, duration_ms: 12, ...answered }] };
        },
      }),
    };
    const { get, post, page, make, pay, listActions } = await openWebhooks({ around });
    const { id } = await make();
    await pay();
    const view = await get(`${page}/${id}`);
    const [, address = ""] = /href="([^"]+\/deliveries\/del_[^"]+)"/.exec(view.text) ?? [];
    const shown = await get(address);
    const tested = await post(`${page}/${id}/test`, { key: formKeyOf(view) });
    expect([shown.status, tested.status]).toEqual([200, 200]);
    for (const { text } of [shown, tested]) {
      expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;\ufffd[2J\ufffd");
      expect(text).toContain("second");
      expect(text).toMatch(/>503<\/span/);
    }
    expect(textOf(shown)).toContain(" Duration Response ");
    expect((await listActions())[0]).toBe("webhook_endpoint.tested");
    const again = await get(`${page}/${id}/test`);
    expect(again.status).toBe(200);
    expect(textOf(again)).toContain("Nothing was sent now. To send another test event, go back");
    expect(again.text).toContain(`href="${page}/${id}"`);
    expect((await get(`${page}/${id}/deliveries/del_1`)).status).toBe(404);
  });

  test("gets what it missed once, even if the form is sent twice, and not while it is disabled", async () => {
    const { get, post, page, make, pay, service, scope } = await openWebhooks();
    const { id } = await make();
    await post(`${page}/${id}/disable`);
    await pay();
    const asked = await get(`${page}/${id}/recover`);
    const form = { key: formKeyOf(asked), hours: "24" };
    expect((await post(`${page}/${id}/recover`, form)).status).toBe(422);
    await post(`${page}/${id}/enable`);
    for (const _ of [1, 2]) {
      const answer = await post(`${page}/${id}/recover`, form);
      expect(textOf(answer)).toContain("1 event was queued, and will be sent in order.");
    }
    expect((await service.listDeliveries(scope, id, {})).items).toHaveLength(1);
    const wrong = { key: formKeyOf(asked), hours: "5" };
    expect((await post(`${page}/${id}/recover`, wrong)).status).toBe(400);
  });

  test("gets a resent event once even if the form is sent twice, and not while it is disabled", async () => {
    const { get, post, page, make, pay, service, scope, listActions } = await openWebhooks();
    const { id } = await make();
    await pay();
    const view = await get(`${page}/${id}`);
    const event = /name="event"\s+value="([^"]+)"/.exec(view.text)?.[1] ?? "";
    const form = { key: formKeyOf(view), event };
    await post(`${page}/${id}/disable`);
    expect((await get(`${page}/${id}`)).text).not.toMatch(/>\s*Resend</);
    const refused = await post(`${page}/${id}/resend`, form);
    expect(refused.status).toBe(422);
    expect(textOf(refused)).toContain("The endpoint is disabled, so nothing was sent.");
    for (const _ of [1, 2]) await post(`${page}/${id}/enable`);
    const next = `${page}/${id}?just=event.resent&id=${event}`;
    for (const _ of [1, 2]) {
      const answer = await post(`${page}/${id}/resend`, form);
      expect([answer.status, answer.headers["location"]]).toEqual([303, next]);
    }
    expect(textOf(await get(next))).toContain("The event was queued");
    expect((await service.listDeliveries(scope, id, {})).items).toHaveLength(2);
    const [resent, enabled, disabled] = await listActions();
    expect([disabled, enabled, resent]).toEqual([
      "webhook_endpoint.disabled",
      "webhook_endpoint.enabled",
      "event.resent",
    ]);
  });

  test("shows the end of its old secret", async () => {
    const { get, post, page, make } = await openWebhooks();
    const { id } = await make();
    const form = await get(`${page}/${id}/roll`);
    expect(textOf(form)).toContain("Events are signed with both secrets");
    await post(`${page}/${id}/roll`, { key: formKeyOf(form), overlap: "24" });
    expect(textOf(await get(`${page}/${id}`))).toContain("Old secret expires");
  });

  test("that is a listener has no address, state or secret to change, and can be deleted", async () => {
    const { get, post, page, make, endpoints } = await openWebhooks();
    const { id } = await make({ url: null });
    const view = await get(`${page}/${id}`);
    expect(view.text).toMatch(/<h1>\s*Listener/);
    expect(textOf(view)).not.toMatch(/URL|Status|Roll secret|Disable/);
    for (const action of ["roll", "disable", "enable"]) {
      const fields = action === "roll" ? { key: "k", overlap: "0" } : {};
      expect((await post(`${page}/${id}/${action}`, fields)).status).toBe(404);
    }
    expect((await post(`${page}/${id}/delete`)).status).toBe(303);
    expect(await endpoints()).toEqual([]);
  });
});
