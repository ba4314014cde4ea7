import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../../src/service/server/open-service.ts";
import type { Store } from "../../../src/service/service.ts";
import { newAccount } from "../../testkit/database/records.ts";
import { openEmptyDatabase } from "../../testkit/database/open-database.ts";
import { addPage, canceled, closing, onPage, toPaid } from "./contract/charges.ts";
import { invite, operatorOf, sessionOf, signIn } from "./contract/operators.ts";

/** Long enough for a deadlock to end in an error. */
const endless = { options: "-c deadlock_timeout=1h" };

/** Two replicas on one database. */
async function openTwo(): Promise<[Store, Store]> {
  const { openAnother, giveBack } = await openEmptyDatabase(endless);
  onTestFinished(giveBack);
  const open = async () => openStore(await openAnother(), newAccount());
  return [await open(), await open()];
}

test("a charge's outcome and the closing of its page never deadlock", async () => {
  const [one, two] = await openTwo();
  const tokens = Array.from({ length: 40 }, (_, i) => `token${i}`);
  const payments = await Promise.all(tokens.map((token) => addPage(one, token)));
  for (const payment of payments) await one.chargePage(onPage(payment));
  const ends = await Promise.all(
    payments.flatMap((payment) => [
      one.updateCharge(toPaid(payment)),
      two.closePage(closing(canceled(payment))).then(({ outcome }) => outcome),
    ]),
  );
  expect(ends.filter((end) => end === "written")).toHaveLength(payments.length);
});

const changes: [what: string, change: (store: Store, id: string) => Promise<unknown>][] = [
  [
    "signs in",
    async (store, id) => {
      const invitationHash = `invitation of ${id}`;
      await store.acceptInvitation({ invitationHash, session: sessionOf(id), activity: [] });
    },
  ],
  [
    "is seen again and again",
    async (store, id) => {
      const session = sessionOf(id);
      for (let times = 1; times <= 10; times++)
        await store.recordSessionUse({ ...session, usedAtMs: session.usedAtMs + times * 1000 });
    },
  ],
  [
    "gets a fresh link",
    async (store, id) => {
      const invitation = { hash: `fresh ${id}`, operatorId: id, expiresAtMs: 1 };
      await store.reinviteOperator({ invitation, role: undefined, activity: [] });
    },
  ],
];

test.each(changes)(
  "an operator that %s and its removal never wait for each other",
  async (what, change) => {
    const [one, two] = await openTwo();
    for (let round = 0; round < 8; round++) {
      const operators = Array.from({ length: 20 }, (_, i) =>
        operatorOf(`op_${round}_${i}`, { role: "viewer" }),
      );
      for (const each of operators) await (what.startsWith("is seen") ? signIn : invite)(one, each);
      const ends = operators.flatMap(({ id, accounts }) => [
        change(one, id),
        two.removeOperator({ id, accounts, activity: [] }),
      ]);
      await Promise.all(ends);
    }
    expect(await one.listOperators(undefined)).toEqual([]);
  },
);
