import { expect, test } from "vitest";
import { openDashboard, saidIn } from "../../../testkit/pages/open-dashboard.ts";

test("the account's name is what is set, once however often it is sent", async () => {
  const { signIn, at, service, accountId } = await openDashboard();
  const { get, post, operatorId } = await signIn();
  expect(saidIn(await get(at("/settings")))).toContain("Customers read it on the payment page");
  for (const _ of [1, 2]) {
    const answer = await post(at("/settings", "live"), { name: " Books <b>& Co " });
    expect([answer.status, answer.headers["location"]]).toEqual([303, at("/settings", "live")]);
  }
  const answer = await get(at("/settings"));
  expect(answer.text).toContain('value="Books &lt;b&gt;&amp; Co"');
  expect((await service.listAccounts())[0]?.name).toBe("Books <b>& Co");
  const { items } = await service.listActivity(accountId, { limit: 100 });
  expect(items.filter(({ action }) => action === "account.renamed")).toMatchObject([
    { actor: { id: operatorId }, livemode: null },
  ]);
});

test.each([
  [" \u200b ", "The name is empty."],
  ["x".repeat(81), "The name must be 1 to 80 characters"],
  ["a\u202eb", "turn the direction of writing"],
  ["4242424242424242", "The name must not hold a card number"],
])("the name %j comes back with what is wrong", async (name, mistake) => {
  const { signIn, at, service } = await openDashboard();
  const { post } = await signIn();
  const answer = await post(at("/settings"), { name });
  expect(answer.status).toBe(422);
  expect(saidIn(answer)).toContain(mistake);
  expect((await service.listAccounts())[0]?.name).toBe("Default");
});

test("an account that is not the operator's is not renamed", async () => {
  const { signIn, at, service } = await openDashboard();
  const other = await service.createAccount({ name: "Other" });
  const { post } = await signIn();
  expect((await post(at("/settings", "test", other.id), { name: "Mine" })).status).toBe(404);
  expect((await service.listAccounts()).map(({ name }) => name)).toEqual(["Default", "Other"]);
});
