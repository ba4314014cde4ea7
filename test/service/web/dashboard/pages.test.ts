import { describe, expect, test } from "vitest";
import type { Actor, Role } from "../../../../src/contract/administration.ts";
import { assets } from "../../../../src/service/web/dashboard/frame.ts";
import { publicUrl } from "../../../testkit/app/open-app.ts";
import { measureShipped } from "../../../testkit/command/built-commands.ts";
import { fakeNetwork } from "../../../testkit/network/fake-network.ts";
import { listDashboardPages, listOuterPages } from "../../../testkit/pages/dashboard-pages.ts";
import {
  command,
  formKeyOf,
  openDashboard,
  secretOf,
  textOf,
} from "../../../testkit/pages/open-dashboard.ts";

test("without payments the overview shows how to create one, but not in live mode", async () => {
  const { signIn, at } = await openDashboard();
  const [admin, viewer] = [await signIn("admin"), await signIn("viewer")];
  const commands = [
    `payments login --base-url ${publicUrl} --mode test`,
    "payments create --mode test --amount 4999 --currency eur --test-card visa",
  ].join(" Copy Make the first payment: ");
  for (const path of ["", "/payments"]) {
    const page = await admin.get(at(path));
    expect(textOf(page)).toContain(commands);
    expect(page.text).toContain(`<span>--base-url ${publicUrl}</span>`); // stays on one line
    expect(page.text.slice(page.text.indexOf("<main"))).toContain(`href="${at("/keys")}"`);
    const viewerPage = await viewer.get(at(path));
    expect(textOf(viewerPage)).toContain(commands);
    expect(viewerPage.text).not.toContain("/keys");
    const live = textOf(await admin.get(at(path, "live")));
    expect(live).toContain("Payments made with a live key appear here.");
    expect(live).toContain(`payments login --base-url ${publicUrl} --mode live`);
    expect(live).not.toContain("payments create");
  }
});

test("the activity lists actors and actions, newest first, with links to objects that still exist", async () => {
  const { signIn, at, service, accountId, pay } = await openDashboard();
  const { get, operatorId } = await signIn("admin", { name: "Ada <b>" });
  const ada: Actor = { type: "operator", id: operatorId, name: "Ada <b>" };
  const scope = { accountId, livemode: false };
  const live = { accountId, livemode: true };
  const expected: string[] = [];
  const links: string[] = [];

  await service.renameAccount(accountId, "Books", command);
  expected.push("root renamed the account to Books from the command line");
  const key = await service.createKey({ account: accountId, mode: "test", name: "<i>ci" }, ada);
  await service.rollKey(key, 3_600_000, ada);
  await service.revokeKey(key, ada);
  for (const verb of ["created a", "rolled the", "revoked the"])
    expected.push(`${verb} test key &lt;i&gt;ci`);
  links.push(at("/keys"));

  const payment = await pay({ customer: { email: "ada@example.com" } }, "live");
  const ci: Actor = { type: "api_key", id: key.id, name: "ci" };
  const caller = { actor: ci, maxRefund: null };
  await service.refundPayment(live, payment.id, undefined, caller, "Charged twice");
  expected.push(`Key ci refunded 49.99 EUR to ada@example.com : Charged twice Live`);
  links.push(at(`/payments/${payment.id}`, "live"));
  const hosted = await service.createHostedPayment(live, { amount: 1, currency: "eur" });
  const { id: canceled } = JSON.parse(hosted.body) as { id: string };
  await service.cancelPayment(live, canceled, undefined, ada);
  expected.push(`canceled a payment of 0.01 EUR Live`);
  links.push(at(`/payments/${canceled}`, "live"));

  const url = "https://shop.example/hooks";
  const made = await service.createEndpoint(live, { url }, undefined, ada);
  const { id } = JSON.parse(made.body) as { id: string };
  await service.updateEndpoint(live, { id, body: { events: ["payment.failed"] } }, undefined, ada);
  await service.updateEndpoint(live, { id, body: { status: "disabled" } }, undefined, ada);
  await service.updateEndpoint(live, { id, body: { status: "enabled" } }, undefined, ada);
  await service.rollEndpoint(live, { id, body: {} }, undefined, ada);
  await service.testEndpoint(live, id, undefined, ada);
  await service.recoverEndpoint(live, { id, body: { since: 4_000_000_000 } }, undefined, ada);
  const verbs = ["created", "changed", "disabled", "enabled", "rolled the signing secret of"];
  verbs.push("sent a test event to", "resent 0 missed events to");
  for (const verb of verbs) expected.push(`${verb} the endpoint ${url} Live`);
  links.push(at(`/webhooks/${id}`, "live"));
  const [event] = (await service.listEvents(live, {})).items.map(
    (each) => JSON.parse(each) as { id: string },
  );
  const resent = { id: event?.id ?? "" };
  await service.resendEvent(live, { ...resent, body: { endpoint: id } }, undefined, ada);
  await service.resendEvent(live, { ...resent, body: {} }, undefined, ada);
  expected.push(`resent an event to the endpoint ${url} …${resent.id.slice(-8)} Live`);
  expected.push(`resent an event to all endpoints …${resent.id.slice(-8)} Live`);

  const listener = await service.createEndpoint(scope, { url: null }, undefined, ada);
  const deleted = (JSON.parse(listener.body) as { id: string }).id;
  await service.deleteEndpoint(scope, deleted, ada);
  expected.push("created the listener Test", "deleted the listener Test");

  const request = { name: "Bob", role: "viewer", accounts: [accountId] } as const;
  const { operator, token } = await service.inviteOperator(request, ada);
  await service.acceptInvitation(token);
  await service.signOutEverywhere(operator.id);
  await service.changeRole({ id: operator.id, role: "support" }, ada);
  expected.push("invited Bob as Viewer", "Bob signed in", "Bob signed out everywhere");
  expected.push("Ada &lt;b&gt; changed the role of Bob to Support");
  const page = await get(at("/activity"));
  expect(page.text).toContain(at(`/team/${operator.id}`));
  await service.removeOperator(operator.id, ada, accountId);
  expected.push("Ada &lt;b&gt; removed Bob");

  const answer = await get(at("/activity"));
  expect(answer.status).toBe(200);
  const text = textOf(answer);
  const positions = expected.map((sentence) => text.indexOf(sentence));
  expect(expected.filter((_, index) => positions[index] === -1)).toEqual([]);
  expect(positions).toEqual(positions.toSorted((one, other) => other - one));
  for (const link of links) expect(answer.text).toContain(`href="${link}"`);
  expect(answer.text).not.toContain(`/webhooks/${deleted}`);
  expect(answer.text).not.toContain(`/team/${operator.id}`);
});

test("the activity shows only its own account, from the account's creation on", async () => {
  const { signIn, at, service, accountId } = await openDashboard();
  const other = await service.createAccount({ name: "Other" }, command);
  const { get } = await signIn("admin", { accounts: [accountId, other.id] });
  await service.createKey({ account: accountId, mode: "test", name: "secretly" }, command);
  const text = textOf(await get(at("/activity", "live", other.id)));
  expect(text).toContain("root created the account Other from the command line");
  expect(text).not.toContain("secretly");
});

test("a refund at a card network is recorded as requested", async () => {
  const network = fakeNetwork();
  const { signIn, at, service, accountId, pay } = await openDashboard({
    network: () => network.network,
  });
  const { get, operatorId } = await signIn();
  const { id } = await pay({}, "live");
  const ada: Actor = { type: "operator", id: operatorId, name: "Ada" };
  const caller = { actor: ada, maxRefund: null };
  await service.refundPayment({ accountId, livemode: true }, id, undefined, caller);
  expect(textOf(await get(at("/activity")))).toContain("requested the refund of 49.99 EUR Live");
});

/** An admin, and the page of the keys of a mode. */
async function openKeys(
  mode: "test" | "live" = "test",
  around: Parameters<typeof openDashboard>[0] = {},
) {
  const opened = await openDashboard(around);
  const { signIn, at, service, accountId, call } = opened;
  return {
    ...opened,
    ...(await signIn()),
    page: at("/keys", mode),
    make: async (name: string) => service.createKey({ account: accountId, mode, name }, command),
    accepts: async (key: string) =>
      (await call({ key: null, headers: { authorization: `Bearer ${key}` } })).status === 200,
  };
}

test("the page lists the keys of the account and mode, newest first, with last four characters and state", async () => {
  const { get, page, make, service, at, accepts } = await openKeys();
  const other = await service.createAccount({ name: "Other" });
  await service.createKey({ account: other.id, mode: "test", name: "of another" });
  const revoked = await make("old");
  await service.revokeKey(revoked);
  const rolled = await make("shop");
  const successor = await service.rollKey(rolled, 3_600_000);
  const expired = await make("gone");
  await service.rollKey(expired, 0);
  await expect.poll(async () => accepts(expired.key)).toBe(false); // expiry is in whole seconds

  const answer = await get(page);
  expect(textOf(answer)).toMatch(
    new RegExp(
      `gone .{20,25} svc_test_sk_…\\w{4} Active.*gone .{20,25} svc_test_sk_…${expired.last4} Expired.*shop .{20,25} svc_test_sk_…${successor?.last4} Active.*shop .{20,25} svc_test_sk_…${rolled.last4} Expires.*old.*…${revoked.last4} Revoked`,
    ),
  );
  expect(textOf(answer)).not.toMatch(/of another|svc_live/);
  expect(answer.text).not.toContain(`/keys/${revoked.id}/`);
  expect(answer.text).not.toContain(`/keys/${expired.id}/`);
  expect(answer.text).toContain(at(`/keys/${rolled.id}/revoke`));
  expect(answer.text).not.toContain(rolled.key);
});

test("a key whose end is later than any date, of before there was a maximum, is shown plainly", async () => {
  const far = 8_640_000_000_001;
  const { get, page, make, at } = await openKeys("test", {
    store: (store) => ({
      ...store,
      insertKey: async ({ hash, key }, activity) =>
        store.insertKey({ hash, key: { ...key, expires_at: far } }, activity),
    }),
  });
  const { id } = await make("far");
  const answers = [await get(page), await get(at(`/keys/${id}/revoke`))];
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    expect(textOf(answer)).toContain(`at ${far} in Unix seconds`);
  }
});

test("an account without keys gets an explanation, with the command that stores a key", async () => {
  const { signIn, at, service } = await openDashboard();
  const other = await service.createAccount({ name: "Other" });
  const { get } = await signIn("admin", { accounts: [other.id] });
  const text = textOf(await get(at("/keys", "live", other.id)));
  expect(text).toContain("No live keys yet");
  expect(text).toContain(`payments keys create --mode live --name shop --account ${other.id}`);
});

test("a new key works, and the audit log names the operator", async () => {
  const { get, post, page, accepts, service, accountId, operatorId } = await openKeys("live");
  const answer = await post(page, {
    key: formKeyOf(await get(page)),
    name: "checkout",
    read: "on",
  });
  expect(secretOf(answer)).toMatch(/^svc_live_sk_/);
  expect(await accepts(secretOf(answer) ?? "")).toBe(true);
  const [entry] = (await service.listActivity(accountId, { limit: 1 })).items;
  const actor = { type: "operator", id: operatorId, name: "Ada" };
  expect(entry).toMatchObject({ action: "api_key.created", actor, livemode: true });
});

test("a rolled key works until the overlap ends", async () => {
  const { get, post, page, make, accepts, service, accountId } = await openKeys();
  const old = await make("shop");
  const form = await get(`${page}/${old.id}/roll`);
  expect(form.text).toMatch(/<option value="24"\s+selected/);
  const nowSeconds = Math.floor(Date.now() / 1000);
  const answer = await post(`${page}/${old.id}/roll`, { key: formKeyOf(form), overlap: "1" });
  expect(await accepts(secretOf(answer) ?? "")).toBe(true);
  expect(await accepts(old.key)).toBe(true);
  const { expires_at: end } = (await service.listKeys(accountId)).find(({ id }) => id === old.id)!;
  expect(end).toBeGreaterThanOrEqual(nowSeconds + 3600);
});

test("an expired or revoked key cannot be rolled", async () => {
  const { get, post, page, make, accepts } = await openKeys();
  const [rolled, revoked] = [await make("shop"), await make("ci")];
  const form = { key: formKeyOf(await get(`${page}/${rolled.id}/roll`)), overlap: "0" };
  await post(`${page}/${rolled.id}/roll`, form);
  await post(`${page}/${revoked.id}/revoke`);
  for (const { id, key } of [rolled, revoked]) {
    await expect.poll(async () => accepts(key)).toBe(false); // expiry is in whole seconds
    expect((await get(`${page}/${id}/roll`)).status).toBe(404);
    expect((await get(`${page}/${id}/revoke`)).status).toBe(404);
    expect(
      (await post(`${page}/${id}/roll`, { key: crypto.randomUUID(), overlap: "0" })).status,
    ).toBe(404);
  }
});

/** An admin of the first of two accounts. */
async function openTeam() {
  const opened = await openDashboard();
  const { signIn, at, service, accountId } = opened;
  const other = await service.createAccount({ name: "Other" });
  return {
    ...opened,
    ...(await signIn()),
    other,
    page: at("/team"),
    findByName: async (name: string) =>
      (await service.listOperators()).filter((each) => each.name === name),
    inviteBob: async (role: Role = "viewer", accounts = [accountId]) =>
      await service.inviteOperator({ name: "Bob", role, accounts }, command),
  };
}

const getPath = (link: string) => new URL(link).pathname;

test("the team lists the operators of the account, and marks the visitor", async () => {
  const { get, page, inviteBob, service, other, operatorId } = await openTeam();
  await inviteBob("support");
  const foreign = { name: "Mallory", role: "admin", accounts: [other.id] } as const;
  await service.inviteOperator(foreign, command);
  const answer = await get(page);
  expect(textOf(answer)).toMatch(/Ada \(you\) .* Admin Active.*Bob .* Support Invited never/);
  expect(answer.text).not.toContain("Mallory");
  expect((await get(`${page}/${operatorId}`)).status).toBe(200);
});

test("an invitation signs in to this account, and a fresh link replaces it", async () => {
  const { get, post, page, submit, visit, findByName, accountId } = await openTeam();
  const form = { key: formKeyOf(await get(page)), name: "Bob", role: "support" };
  const first = secretOf(await post(page, form)) ?? "";
  const [bob] = await findByName("Bob");
  expect(bob).toMatchObject({ role: "support", accounts: [accountId] });
  expect((await visit(getPath(first))).status).toBe(200);
  const key = formKeyOf(await get(`${page}/${bob?.id}`));
  const answer = await post(`${page}/${bob?.id}/link`, { key });
  expect(textOf(answer)).toContain("It works once, for 15 minutes");
  expect((await submit(getPath(first))).status).toBe(404);
  expect((await submit(getPath(secretOf(answer) ?? ""))).status).toBe(303);
});

describe("a role", () => {
  test("that does not exist is refused with a list of roles", async () => {
    const { post, page, inviteBob } = await openTeam();
    const { operator } = await inviteBob();
    const answer = await post(`${page}/${operator.id}/role`, { role: "owner" });
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain("Choose Viewer, Support, Admin.");
  });

  test("or link that would affect another account is refused", async () => {
    const { get, post, page, inviteBob, accountId, other, findByName } = await openTeam();
    const { id } = (await inviteBob("viewer", [accountId, other.id])).operator;
    const view = await get(`${page}/${id}`);
    expect(textOf(view)).toContain("only an admin of all of them can");
    expect(view.text).not.toContain(other.id);
    expect(formKeyOf(view)).toBe("");
    for (const answer of [
      await post(`${page}/${id}/role`, { role: "admin" }),
      await post(`${page}/${id}/link`, { key: crypto.randomUUID() }),
    ]) {
      expect([answer.status, secretOf(answer)]).toEqual([403, undefined]);
    }
    expect(await findByName("Bob")).toMatchObject([{ role: "viewer" }]);
  });
});

describe.each([
  ["role", { role: "viewer" }, 403, undefined],
  ["remove", {}, 303, "/dashboard/sign-in"],
] as const)("one's own %s", (action, fields, status, location) => {
  test("is refused for the last admin", async () => {
    const { post, page, operatorId, findByName } = await openTeam();
    const answer = await post(`${page}/${operatorId}/${action}`, fields);
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain("This is the last admin of an account. Nothing was changed.");
    expect(await findByName("Ada")).toMatchObject([{ role: "admin" }]);
  });

  test("is possible with another admin, and redirects away from the team", async () => {
    const { get, post, page, operatorId, signIn } = await openTeam();
    await signIn("admin");
    expect(textOf(await get(`${page}/${operatorId}/remove`))).toContain("Remove yourself?");
    const answer = await post(`${page}/${operatorId}/${action}`, fields);
    expect([answer.status, answer.headers["location"]]).toEqual([303, "/dashboard"]);
    const next = await get(page);
    expect([next.status, next.headers["location"]]).toEqual([status, location]);
  });
});

const maxBytes = 60 * 1024;
const style = assets.find(({ name }) => name.endsWith(".css"))!;

test("with its style each page is at most 60 KiB, its list as long as it gets", () => {
  const pages = [...listDashboardPages("full", "live"), ...listOuterPages("full")];
  const sizes = pages.map(([name, document]) => [name, measureShipped(document + style.content)]);
  expect(sizes.filter(([, bytes]) => Number(bytes) > maxBytes)).toEqual([]);
});

test("no page has a style of its own, by which the policy would hide it", () => {
  const pages = [...listDashboardPages("usual", "live"), ...listOuterPages("usual")];
  const styled = pages.filter(([, document]) => /<[^>]+\sstyle="|<style/.test(document));
  expect(styled.map(([name]) => name)).toEqual([]);
});
