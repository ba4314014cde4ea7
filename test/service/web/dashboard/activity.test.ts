import { expect, test } from "vitest";
import type { Actor } from "../../../../src/service/ports/activity.ts";
import { fakeNetwork } from "../../../testkit/network/fake-network.ts";
import { command, openDashboard, saidIn } from "../../../testkit/pages/open-dashboard.ts";

test("the activity tells who did what, newest first, with links to what there still is", async () => {
  const { signIn, at, service, accountId, pay } = await openDashboard();
  const { get, operatorId } = await signIn("admin", { name: "Ada <b>" });
  const ada: Actor = { type: "operator", id: operatorId, name: "Ada <b>" };
  const scope = { accountId, livemode: false };
  const live = { accountId, livemode: true };
  const told: string[] = [];
  const links: string[] = [];

  await service.renameAccount(accountId, "Books", command);
  told.push("root , by a command, named the account Books");
  const key = await service.createKey({ account: accountId, mode: "test", name: "<i>ci" }, ada);
  await service.rollKey(key, 3_600_000, ada);
  await service.revokeKey(key, ada);
  for (const did of ["created", "rolled", "revoked"]) told.push(`${did} the test key &lt;i&gt;ci`);
  links.push(at("/keys"));

  const payment = await pay({}, "live");
  const ci: Actor = { type: "api_key", id: key.id, name: "ci" };
  await service.refundPayment(live, payment.id, undefined, ci);
  told.push(`The key ci refunded the live payment ${payment.id}`);
  links.push(at(`/payments/${payment.id}`, "live"));

  const url = "https://shop.example/hooks";
  const made = await service.createEndpoint(live, { url }, undefined, ada);
  const { id } = JSON.parse(made.body) as { id: string };
  await service.updateEndpoint(live, { id, body: { events: ["payment.failed"] } }, undefined, ada);
  await service.updateEndpoint(live, { id, body: { status: "disabled" } }, undefined, ada);
  await service.updateEndpoint(live, { id, body: { status: "enabled" } }, undefined, ada);
  await service.rollEndpoint(live, { id, body: {} }, undefined, ada);
  const deeds = ["created", "changed", "disabled", "enabled", "rolled the secret of"];
  for (const did of deeds) told.push(`${did} the live endpoint ${url}`);
  links.push(at(`/webhooks/${id}`, "live"));
  const [event] = (await service.listEvents(live, {})).items.map(
    (each) => JSON.parse(each) as { id: string },
  );
  const resent = { id: event?.id ?? "" };
  await service.resendEvent(live, { ...resent, body: { endpoint: id } }, undefined, ada);
  await service.resendEvent(live, { ...resent, body: {} }, undefined, ada);
  told.push(`resent the live event ${resent.id} to an endpoint`);
  told.push(`resent the live event ${resent.id} to all endpoints`);

  const listener = await service.createEndpoint(scope, { url: null }, undefined, ada);
  const deleted = (JSON.parse(listener.body) as { id: string }).id;
  await service.deleteEndpoint(scope, deleted, ada);
  told.push("created the test listener", "deleted the test listener");

  const asked = { name: "Bob", role: "viewer", accounts: [accountId] } as const;
  const { operator, token } = await service.inviteOperator(asked, ada);
  await service.acceptInvitation(token);
  await service.signOutEverywhere(operator.id);
  await service.changeRole({ id: operator.id, role: "support" }, ada);
  told.push("made a link for Bob , as viewer", "Bob signed in", "Bob signed out everywhere");
  told.push("Ada &lt;b&gt; made Bob support");
  const shown = await get(at("/activity"));
  expect(shown.text).toContain(at(`/team/${operator.id}`));
  await service.removeOperator(operator.id, ada, accountId);
  told.push("Ada &lt;b&gt; removed Bob");

  const answer = await get(at("/activity"));
  expect(answer.status).toBe(200);
  const said = saidIn(answer);
  const places = told.map((text) => said.indexOf(text));
  expect(told.filter((_, index) => places[index] === -1)).toEqual([]);
  expect(places).toEqual(places.toSorted((one, other) => other - one));
  for (const link of links) expect(answer.text).toContain(`href="${link}"`);
  expect(answer.text).not.toContain(deleted);
  expect(answer.text).not.toContain(`/team/${operator.id}`);
});

test("of another account nothing is told, and an account's own beginning is", async () => {
  const { signIn, at, service, accountId } = await openDashboard();
  const other = await service.createAccount({ name: "Other" }, command);
  const { get } = await signIn("admin", { accounts: [accountId, other.id] });
  await service.createKey({ account: accountId, mode: "test", name: "secretly" }, command);
  const said = saidIn(await get(at("/activity", "live", other.id)));
  expect(said).toContain("root , by a command, created the account Other");
  expect(said).not.toContain("secretly");
});

test("activity comes a page at a time, newer and older", async () => {
  const { signIn, at, service, accountId } = await openDashboard();
  const { get } = await signIn();
  for (let count = 1; count <= 60; count++) {
    await service.renameAccount(accountId, `Name ${count}.`, command);
  }
  const { items } = await service.listActivity(accountId, { limit: 100 });
  const first = await get(at("/activity"));
  expect(saidIn(first)).toMatch(/Name 60\..*Name 11\./);
  expect(saidIn(first)).not.toContain("Name 10.");
  expect(first.text).not.toContain('rel="prev"');
  const older = at(`/activity?starting_after=${items[49]?.id}`);
  expect(first.text).toContain(older);
  const second = await get(older);
  expect(saidIn(second)).toMatch(/Name 10\..*Name 1\..*Ada signed in/);
  expect(second.text).not.toContain('rel="next"');
  const newer = at(`/activity?ending_before=${items[50]?.id}`);
  expect(second.text).toContain(newer);
  expect(saidIn(await get(newer))).toMatch(/Name 60\..*Name 11\./);
  expect((await get(at("/activity?starting_after=nonsense"))).status).toBe(400);
});

test("a refund that a network is asked for was requested", async () => {
  const network = fakeNetwork();
  const { signIn, at, service, accountId, pay } = await openDashboard({
    network: () => network.network,
  });
  const { get, operatorId } = await signIn();
  const { id } = await pay({}, "live");
  const ada: Actor = { type: "operator", id: operatorId, name: "Ada" };
  await service.refundPayment({ accountId, livemode: true }, id, undefined, ada);
  const shown = saidIn(await get(at("/activity")));
  expect(shown).toContain(`requested the refund of the live payment ${id}`);
});
