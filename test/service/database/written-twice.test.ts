import { expect, onTestFinished, test } from "vitest";
import type { Operator } from "../../../src/contract/administration.ts";
import { refund, takeCard, type Payment } from "../../../src/service/payments/payment-state.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import type { Driver } from "../../../src/service/database/driver.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { newDatabase } from "../../testkit/database/open-database.ts";
import { card, newAccount, paymentIn } from "../../testkit/database/records.ts";
import { activityOf } from "./contract/activity.ts";
import { addEndpoint, deliveriesOf, endpointOf, lease } from "./contract/endpoints.ts";
import { everything, requestAt } from "./contract/requests.ts";
import { atMs, moveOf, scope, storedCharge, writeOf } from "./contract/writes.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

// The connection is lost during a commit that reaches the disk, and the write is retried.

const written = { outcome: "written" };

/** A store that commits each write twice, and a regular one on the same database. */
async function openCommittingTwice() {
  const driver = await openDriver(await newDatabase(temporaryFile()));
  const write: Driver["write"] = async (work) => {
    await driver.write(() => work(false));
    return await driver.write(() => work(true));
  };
  const store = await openStore(driver, newAccount());
  onTestFinished(async () => store.close());
  return { store, again: await openStore({ ...driver, write }, newAccount()) };
}

test.each([undefined, "k"])("an event is one, and queued once (key: %s)", async (key) => {
  const { store, again } = await openCommittingTwice();
  const endpoint = await addEndpoint(store);
  const payment = paymentIn("succeeded", atMs);
  const made = writeOf(payment, key ? { key } : {});
  expect(await again.createPayment(() => made)).toEqual(written);
  const move = moveOf(
    refund(payment, atMs / 1000) as Payment,
    "succeeded",
    key ? { key: "l" } : {},
  );
  expect(await again.transition(move)).toEqual(written);
  const queued = (await deliveriesOf(store, endpoint)).map(({ eventId }) => eventId);
  expect(queued).toEqual([move.event.id, made.event.id]);
  const refunded = await store.findEvent(scope, move.event.id);
  expect(JSON.parse(refunded ?? "")).toMatchObject({ sequence: 2, type: "payment.refunded" });
});

test.each([undefined, "k"])(
  "an endpoint is created and changed as requested (key: %s)",
  async (key) => {
    const { store, again } = await openCommittingTwice();
    const endpoint = endpointOf();
    const keyed = (name: string) =>
      key === undefined
        ? undefined
        : {
            key: name,
            fingerprint: "f",
            response: { status: 200, body: name },
            lockedUntilMs: 0,
            nowMs: atMs,
            expiresAtMs: atMs + 1,
          };
    const create = { scope, endpoint, slot: 0, idempotency: keyed("k") };
    expect(await again.createEndpoint(create)).toEqual(written);
    const changed = { ...endpoint, description: "Orders", revision: 2 };
    const change = { scope, endpoint: changed, idempotency: keyed("l") };
    expect(await again.changeEndpoint(change)).toEqual(written);
    expect(await store.listEndpoints(scope)).toEqual([{ ...changed, slot: 0 }]);
  },
);

test("a change of an endpoint is not confused with an earlier one", async () => {
  const endpoint = endpointOf();
  const mine = { ...endpoint, description: "Mine", revision: 2 };
  const theirs = { ...endpoint, description: "Theirs", revision: 2 };
  // The first attempt was not committed, and another request's change was.
  const driver = await openDriver(await newDatabase(temporaryFile()));
  const store = await openStore(driver, newAccount());
  onTestFinished(async () => store.close());
  const again = await openStore(
    { ...driver, write: async (work) => driver.write(() => work(true)) },
    newAccount(),
  );
  await store.createEndpoint({ scope, endpoint, slot: 0, idempotency: undefined });
  await store.changeEndpoint({ scope, endpoint: theirs, idempotency: undefined });
  const change = { scope, endpoint: mine, idempotency: undefined };
  expect(await again.changeEndpoint(change)).toEqual({ outcome: "conflict" });
  expect(await store.findEndpoint(scope, endpoint.id)).toEqual(theirs);
});

test("a claim on a page is not confused with another customer's of the same millisecond", async () => {
  const driver = await openDriver(await newDatabase(temporaryFile()));
  const store = await openStore(driver, newAccount());
  onTestFinished(async () => store.close());
  // The first attempt was not committed, and another request's claim was.
  const write: Driver["write"] = async (work) => driver.write(() => work(true));
  const again = await openStore({ ...driver, write }, newAccount());
  const started = { card: null, redirect_url: "https://pay.example/pay/token" };
  const payment = paymentIn("pending", atMs, started);
  const page = { token: "token", returnUrl: null, expiresAtMs: atMs + 60_000 };
  await store.createPayment(() => writeOf(payment, { page }));
  const claim = { nowMs: atMs, untilMs: atMs + 30_000 };
  const charging = { scope, claim, charge: storedCharge() };
  const [theirs, mine] = ["Their Name", "My Name"].map((name) =>
    takeCard(payment, name === "My Name" ? { ...card, last4: "4444" } : card, name),
  ) as [Payment, Payment];
  expect(await store.chargePage({ ...charging, payment: theirs })).toBe(true);
  expect(await again.chargePage({ ...charging, payment: mine })).toBe(false);
  expect(await again.chargePage({ ...charging, payment: theirs })).toBe(true);
});

test("an event that is sent again is queued once", async () => {
  const { store, again } = await openCommittingTwice();
  const endpoint = await addEndpoint(store);
  await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
  const [queued] = await lease(store, endpoint);
  const { event: _, ...own } = { ...queued!, id: "del_own", dueAtMs: atMs };
  const write = { scope, deliveries: [own], idempotency: undefined };
  expect(await again.queueDeliveries(write)).toEqual(written);
  expect((await lease(store, endpoint)).map(({ id }) => id)).toEqual(["del_own"]);
});

test("a request is logged once", async () => {
  const { store, again } = await openCommittingTwice();
  await again.logRequests([requestAt(1)]);
  expect((await store.listRequests(scope, everything)).items).toEqual([requestAt(1)]);
});

test("an operator is invited, signed in and removed once, with one audit entry each", async () => {
  const { store, again } = await openCommittingTwice();
  const account = newAccount();
  await store.insertAccount(account);
  const { id: accountId } = account.account;
  const operator = {
    id: "op_1",
    object: "operator",
    name: "Ada",
    role: "viewer",
    accounts: [accountId],
    status: "invited",
    created: 1000,
    last_seen_at: null,
  } as const satisfies Operator;
  const entries = (id: string) => [activityOf(id, { account: accountId })];
  const invitation = { hash: "invitation", operatorId: "op_1", expiresAtMs: atMs + 10 };
  await again.insertOperator({ operator, invitation, activity: entries("act_1") });
  const times = { begunAtMs: atMs, usedAtMs: atMs, expiresAtMs: atMs + 10 };
  const session = { hash: "session", operatorId: "op_1", ...times };
  const accepting = { invitationHash: "invitation", session, activity: entries("act_2") };
  expect(await again.acceptInvitation(accepting)).toBe(true);
  const removal = { id: "op_1", accounts: [accountId], activity: entries("act_3") };
  expect(await again.removeOperator(removal)).toBe("written");
  const range = { below: "act_g", above: "", direction: "forward", limit: 10 } as const;
  const { items } = await store.listActivity(accountId, range);
  expect(items.map(({ id }) => id)).toEqual(["act_3", "act_2", "act_1"]);
});
