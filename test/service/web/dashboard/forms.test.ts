import { describe, expect, test } from "vitest";
import type { Answer } from "../../../testkit/app/open-app.ts";
import {
  command,
  formKeyOf,
  openDashboard,
  secretOf,
  textOf,
} from "../../../testkit/pages/open-dashboard.ts";

// The behaviour that the forms of all pages share.

/** An account with one object of each kind, and the path of its page. */
async function openObjects() {
  const opened = await openDashboard();
  const { service, accountId, invite, createEndpoint, pay, listActions } = opened;
  const payment = await pay({});
  const key = await service.createKey({ account: accountId, mode: "test", name: "shop" }, command);
  const endpoint = await createEndpoint();
  await pay();
  const scope = { accountId, livemode: false };
  const [delivery] = (await service.listDeliveries(scope, endpoint.id, {})).items;
  const { operatorId } = await invite("viewer", { name: "Bob" });
  const before = await listActions();
  return {
    ...opened,
    key,
    event: delivery?.event ?? "",
    paths: {
      "the list of keys": "/keys",
      "a key": `/keys/${key.id}`,
      "the list of webhooks": "/webhooks",
      "an endpoint": `/webhooks/${endpoint.id}`,
      "the team": "/team",
      "an operator": `/team/${operatorId}`,
      "a payment": `/payments/${payment.id}`,
      "the settings": "/settings",
    },
    /** The actions since then, oldest first. */
    listNewActions: async () => {
      const actions = await listActions();
      return actions.slice(0, actions.length - before.length).toReversed();
    },
  };
}
type Thing = keyof Awaited<ReturnType<typeof openObjects>>["paths"];

const url = "https://shop.example/new";
/** Every form that writes, by its page, with its fields. */
const forms: [thing: Thing, action: string, fields: Record<string, string>][] = [
  ["the list of keys", "", { key: "k1", name: "ci", read: "on" }],
  ["a key", "/roll", { key: "k2", overlap: "0" }],
  ["a key", "/revoke", {}],
  ["the list of webhooks", "", { key: "k3", url }],
  ["an endpoint", "/roll", { key: "k4", overlap: "0" }],
  ["an endpoint", "/enable", {}],
  ["an endpoint", "/disable", {}],
  ["an endpoint", "/resend", { key: "k5", event: "evt_x" }],
  ["an endpoint", "/test", { key: "k9" }],
  ["an endpoint", "/recover", { key: "k10", hours: "24" }],
  ["an endpoint", "/delete", {}],
  ["the team", "", { key: "k6", name: "Eve", role: "viewer" }],
  ["an operator", "/role", { role: "admin" }],
  ["an operator", "/link", { key: "k7" }],
  ["an operator", "/remove", {}],
  ["a payment", "/refund", { key: "k8", amount: "49.99" }],
  ["a payment", "/cancel", {}],
  ["the settings", "", { name: "Books" }],
];

describe("a form that writes", () => {
  test.each(["viewer", "support"] as const)("is refused to a %s", async (role) => {
    const { signIn, at, paths, listNewActions } = await openObjects();
    const { post } = await signIn(role);
    const allowed = role === "support" ? ["/refund", "/cancel"] : [];
    for (const [thing, action, fields] of forms.filter(([, each]) => !allowed.includes(each))) {
      const { status } = await post(at(paths[thing] + action), fields);
      expect({ thing, action, status }).toEqual({ thing, action, status: 403 });
    }
    expect(await listNewActions()).toEqual(["operator.invited", "operator.signed_in"]);
  });

  test("is not found in another account or mode", async () => {
    const { signIn, at, paths, listNewActions, service, event } = await openObjects();
    const other = await service.createAccount({ name: "Other" });
    const { get, post } = await signIn("admin", { accounts: [other.id] });
    const admin = await signIn("admin", { name: "Ada" });
    for (const [thing, action, fields] of forms) {
      const hasId = thing.startsWith("a");
      const path = paths[thing] + action;
      const sent = { ...fields, ...(fields["event"] && { event }) };
      const answers = [await post(at(path), sent)];
      if (hasId) answers.push(await post(at(path, "test", other.id), sent));
      if (hasId && thing !== "an operator") answers.push(await admin.post(at(path, "live"), sent));
      if (hasId) answers.push(await get(at(paths[thing], "test", other.id)));
      const statuses = answers.map(({ status }) => status);
      expect({ path, statuses }).toEqual({ path, statuses: statuses.map(() => 404) });
    }
    expect(await listNewActions()).toEqual(["operator.invited", "operator.signed_in"]);
  });

  test.each<[Thing, string, Record<string, string>, string]>([
    ["the list of keys", "", { name: "" }, "The name is empty."],
    ["the list of keys", "", { name: "x".repeat(201) }, "The name must be 1 to 200 characters"],
    ["the list of keys", "", { name: "4242 4242 4242 4242" }, "must not hold a card number"],
    ["the list of keys", "", { name: "svc_test_sk_abc" }, "must not hold an API key"],
    ["the list of keys", "", { name: "ci" }, "Choose at least one permission."],
    [
      "the list of keys",
      "",
      { max_refund: "0", name: "ci", refund: "on" },
      "The largest refund must be",
    ],
    ["the list of keys", "", { max_refund: "49.99", name: "ci" }, "The largest refund must be"],
    ["the team", "", { name: " ", role: "viewer" }, "The name is empty."],
    ["the team", "", { name: "Bob", role: "owner" }, "Choose Viewer, Support, Admin."],
    ["the list of webhooks", "", { url: 'no" <b>' }, "The URL must be an https address"],
    ["the list of webhooks", "", { url, description: "x".repeat(501) }, "at most 500 characters"],
    [
      "the list of webhooks",
      "",
      { url: "https://x.example/4242%204242%204242%204242" },
      "must not hold a card number",
    ],
    ["the settings", "", { name: " \u200b " }, "The name is empty."],
    ["the settings", "", { name: "x".repeat(81) }, "The name must be 1 to 80 characters"],
    ["the settings", "", { name: "a\u202eb" }, "turn the direction of writing"],
    ["the settings", "", { name: "4242424242424242" }, "must not hold a card number"],
  ])("is shown with its mistake: %s%s %j", async (thing, action, fields, mistake) => {
    const { signIn, at, paths, listNewActions } = await openObjects();
    const { get, post } = await signIn();
    const path = at(paths[thing] + action);
    const key = formKeyOf(await get(path));
    const answer = await post(path, { ...(key && { key }), ...fields });
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain(mistake);
    const isSecret = /card number|API key/.test(mistake); // no page repeats one
    const [sent = ""] = Object.values(fields);
    expect(isSecret && answer.text.includes(sent)).toBe(false);
    const typed = isSecret ? "" : sent;
    const escaped = typed.replaceAll('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;");
    expect(answer.text).toContain(`value="${escaped.replace("\u202e", "\ufffd")}"`);
    expect(formKeyOf(answer)).toBe(key);
    expect(await listNewActions()).toEqual(["operator.invited", "operator.signed_in"]);
  });

  test.each<[Thing, string, Record<string, string>]>([
    ["the list of keys", "", { name: "x", read: "on" }],
    ["the list of keys", "", { key: "two words", name: "x", read: "on" }],
    ["the list of keys", "", { key: "k", name: "x", read: "on", mode: "live" }],
    ["the list of keys", "", { key: "k", name: "x", read: "on", expires: "1000" }],
    ["a key", "/roll", { key: "k", overlap: "9999" }],
    ["an endpoint", "/roll", { key: "k", overlap: "5" }],
    ["a payment", "/refund", {}],
    ["a payment", "/refund", { key: "k", extra: "1" }],
    ["a payment", "/cancel", { extra: "1" }],
  ])("is refused if the page would not send it: %s%s %j", async (thing, action, fields) => {
    const { signIn, at, paths, listNewActions } = await openObjects();
    const { post } = await signIn();
    expect((await post(at(paths[thing] + action), fields)).status).toBe(400);
    expect(await listNewActions()).toEqual(["operator.invited", "operator.signed_in"]);
  });
});

const link = /^https:\/\/payments\.test\/dashboard\/invitations\/\w{43}$/;
test.each<[Thing, string, Record<string, string>, RegExp, string]>([
  ["the list of keys", "", { name: "<i>ci", read: "on" }, /^svc_test_sk_/, "api_key.created"],
  ["a key", "/roll", { overlap: "1" }, /^svc_test_sk_/, "api_key.rolled"],
  ["the list of webhooks", "", { url }, /^whsec_/, "webhook_endpoint.created"],
  ["an endpoint", "/roll", { overlap: "24" }, /^whsec_/, "webhook_endpoint.rolled"],
  ["the team", "", { name: "<i>Eve", role: "support" }, link, "operator.invited"],
  ["an operator", "/link", {}, link, "operator.invited"],
])(
  "a secret is created and shown once, even if its form is sent several times: %s%s",
  async (thing, action, fields, secret, recorded) => {
    const { signIn, at, paths, listNewActions } = await openObjects();
    const { get, post } = await signIn();
    const path = at(paths[thing] + action);
    const page = await get(action === "/link" ? at(paths[thing]) : path);
    const form = { key: formKeyOf(page), ...fields };
    const answers = await Promise.all([post(path, form), post(path, form)]);
    const later = await post(path, form);
    const [made, ...others] = [...answers, later].toSorted((a, b) => a.status - b.status);
    expect([made, ...others].map((answer) => answer?.status)).toEqual([201, 409, 409]);
    const value = secretOf(made as Answer) ?? "";
    expect(value).toMatch(secret);
    expect(made?.text.split(value)).toHaveLength(2);
    for (const other of others) {
      expect(secretOf(other)).toBeUndefined();
      expect(textOf(other)).toContain("already submitted, and nothing new was created.");
    }
    expect((await get(at(paths[thing]))).text).not.toContain(value);
    expect((await listNewActions()).slice(2)).toEqual([recorded]);
  },
);

type Change = {
  on: Thing;
  action: string;
  fields?: Record<string, string>;
  asks: string;
  recorded: string;
  next: Thing;
  says: string;
  again: number;
};
test.each<Change>([
  {
    on: "a key",
    action: "/revoke",
    asks: "are refused within a second",
    recorded: "api_key.revoked",
    next: "the list of keys",
    says: "Key shop was revoked.",
    again: 303,
  },
  {
    on: "an endpoint",
    action: "/disable",
    asks: "Nothing is",
    recorded: "webhook_endpoint.disabled",
    next: "an endpoint",
    says: "The endpoint was disabled: nothing is sent to it.",
    again: 303,
  },
  {
    on: "an endpoint",
    action: "/delete",
    asks: "This cannot be undone.",
    recorded: "webhook_endpoint.deleted",
    next: "the list of webhooks",
    says: "The endpoint https://shop.example/hooks was deleted.",
    again: 404,
  },
  {
    on: "an operator",
    action: "/remove",
    asks: "They lose access",
    recorded: "operator.removed",
    next: "the team",
    says: "Bob was removed from this account.",
    again: 404,
  },
  {
    on: "an operator",
    action: "/role",
    fields: { role: "support" },
    asks: "",
    recorded: "operator.role_changed",
    next: "the team",
    says: "The role of Bob is Support now.",
    again: 303,
  },
  {
    on: "the settings",
    action: "",
    fields: { name: " B <b> " },
    asks: "Shown to customers",
    recorded: "account.renamed",
    next: "the settings",
    says: "The account is named B &lt;b&gt; now.",
    again: 303,
  },
])(
  "a change is confirmed and made once, and the next page says so to its operator: $on $action",
  async ({ on: thing, action, fields = {}, asks, recorded, next, says, again }) => {
    const { signIn, at, paths, listNewActions } = await openObjects();
    const { get, post } = await signIn();
    const path = at(paths[thing] + action);
    const page = action === "/role" ? at(paths[thing]) : path;
    expect(textOf(await get(page))).toContain(asks);
    const before = (await listNewActions()).length;
    const answer = await post(path, fields);
    const address = String(answer.headers["location"]);
    expect([answer.status, address.split("?")[0]]).toEqual([303, at(paths[next])]);
    expect(textOf(await get(address))).toContain(says);
    const other = await signIn("admin", { name: "Eve" });
    expect(textOf(await other.get(address))).not.toContain(says);
    expect((await post(path, fields)).status).toBe(again);
    const actions = (await listNewActions()).slice(before);
    expect(actions).toEqual([recorded, "operator.invited", "operator.signed_in"]);
  },
);

test("every page escapes texts of merchants, customers and operators", async () => {
  const { signIn, at, service, accountId, createEndpoint, pay, invite } = await openDashboard();
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>\u202e`;
  const payment = await pay({
    description: hostile,
    customer: { email: `"<b>@x.example`, first_name: hostile },
    metadata: { [hostile.slice(0, 30)]: hostile },
  });
  const key = await service.createKey({ account: accountId, mode: "test", name: "<img>" }, command);
  const { id } = await createEndpoint({ description: hostile });
  await createEndpoint({ url: null, description: hostile });
  await pay();
  const { operatorId } = await invite("viewer", { name: hostile });
  await service.renameAccount(accountId, "<img> & Sons", command);
  const { get, operatorId: own } = await signIn("admin", { name: hostile });
  for (const path of [
    "",
    "/payments",
    `/payments/${payment.id}`,
    `/payments/${payment.id}/refund`,
    `/payments/${payment.id}/cancel`,
    "/payments?id=%22%3E%3Cimg%3E",
    "/keys",
    `/keys/${key.id}/roll`,
    "/webhooks",
    `/webhooks/${id}`,
    `/webhooks/${id}/delete`,
    "/team",
    `/team/${operatorId}`,
    `/team/${own}/remove`,
    "/activity",
    "/settings",
    "/nowhere",
  ]) {
    const { text } = await get(at(path));
    expect({ path, scripts: text.match(/<script/g)?.length }).toEqual({ path, scripts: 1 });
    expect(text).not.toMatch(/<img|<b>@|\u202e/);
  }
});
