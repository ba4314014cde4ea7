import { expect, test } from "vitest";
import type { Actor } from "../../../../src/service/ports/activity.ts";
import { fakeNetwork } from "../../../testkit/network/fake-network.ts";
import { command, openDashboard, textOf } from "../../../testkit/pages/open-dashboard.ts";

test("the activity lists actors and actions, newest first, with links to objects that still exist", async () => {
  const { signIn, at, service, accountId, pay } = await openDashboard();
  const { get, operatorId } = await signIn("admin", { name: "Ada <b>" });
  const ada: Actor = { type: "operator", id: operatorId, name: "Ada <b>" };
  const scope = { accountId, livemode: false };
  const live = { accountId, livemode: true };
  const expected: string[] = [];
  const links: string[] = [];

  await service.renameAccount(accountId, "Books", command);
  expected.push("root , by a command, named the account Books");
  const key = await service.createKey({ account: accountId, mode: "test", name: "<i>ci" }, ada);
  await service.rollKey(key, 3_600_000, ada);
  await service.revokeKey(key, ada);
  for (const verb of ["created", "rolled", "revoked"])
    expected.push(`${verb} the test key &lt;i&gt;ci`);
  links.push(at("/keys"));

  const payment = await pay({}, "live");
  const ci: Actor = { type: "api_key", id: key.id, name: "ci" };
  await service.refundPayment(live, payment.id, undefined, ci);
  expected.push(`The key ci refunded the live payment ${payment.id}`);
  links.push(at(`/payments/${payment.id}`, "live"));

  const url = "https://shop.example/hooks";
  const made = await service.createEndpoint(live, { url }, undefined, ada);
  const { id } = JSON.parse(made.body) as { id: string };
  await service.updateEndpoint(live, { id, body: { events: ["payment.failed"] } }, undefined, ada);
  await service.updateEndpoint(live, { id, body: { status: "disabled" } }, undefined, ada);
  await service.updateEndpoint(live, { id, body: { status: "enabled" } }, undefined, ada);
  await service.rollEndpoint(live, { id, body: {} }, undefined, ada);
  const verbs = ["created", "changed", "disabled", "enabled", "rolled the secret of"];
  for (const verb of verbs) expected.push(`${verb} the live endpoint ${url}`);
  links.push(at(`/webhooks/${id}`, "live"));
  const [event] = (await service.listEvents(live, {})).items.map(
    (each) => JSON.parse(each) as { id: string },
  );
  const resent = { id: event?.id ?? "" };
  await service.resendEvent(live, { ...resent, body: { endpoint: id } }, undefined, ada);
  await service.resendEvent(live, { ...resent, body: {} }, undefined, ada);
  expected.push(`resent the live event ${resent.id} to an endpoint`);
  expected.push(`resent the live event ${resent.id} to all endpoints`);

  const listener = await service.createEndpoint(scope, { url: null }, undefined, ada);
  const deleted = (JSON.parse(listener.body) as { id: string }).id;
  await service.deleteEndpoint(scope, deleted, ada);
  expected.push("created the test listener", "deleted the test listener");

  const request = { name: "Bob", role: "viewer", accounts: [accountId] } as const;
  const { operator, token } = await service.inviteOperator(request, ada);
  await service.acceptInvitation(token);
  await service.signOutEverywhere(operator.id);
  await service.changeRole({ id: operator.id, role: "support" }, ada);
  expected.push("made a link for Bob , as viewer", "Bob signed in", "Bob signed out everywhere");
  expected.push("Ada &lt;b&gt; made Bob support");
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
  expect(answer.text).not.toContain(deleted);
  expect(answer.text).not.toContain(`/team/${operator.id}`);
});

test("the activity shows only its own account, from the account's creation on", async () => {
  const { signIn, at, service, accountId } = await openDashboard();
  const other = await service.createAccount({ name: "Other" }, command);
  const { get } = await signIn("admin", { accounts: [accountId, other.id] });
  await service.createKey({ account: accountId, mode: "test", name: "secretly" }, command);
  const text = textOf(await get(at("/activity", "live", other.id)));
  expect(text).toContain("root , by a command, created the account Other");
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
  await service.refundPayment({ accountId, livemode: true }, id, undefined, ada);
  const text = textOf(await get(at("/activity")));
  expect(text).toContain(`requested the refund of the live payment ${id}`);
});
