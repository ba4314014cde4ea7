import { expect, test } from "vitest";
import { openStore } from "../../../src/service/store/store.ts";
import type { Store } from "../../../src/service/use-cases/ports.ts";
import { newAccount } from "./new-account.ts";
import { openPostgresForTest } from "./open-postgres-for-test.ts";
import { addPage, canceled, closing, onPage, toPaid } from "./contract/charges.ts";
import { invite, operatorOf, sessionOf, signIn } from "./contract/operators.ts";

/** Who waits for each other waits for ever. */
const endless = { options: "-c deadlock_timeout=1h" };

/** Two replicas on one database. */
async function openTwo(): Promise<[Store, Store]> {
  const { driver, database } = await openPostgresForTest(endless);
  const { driver: other } = await openPostgresForTest(endless, database);
  return [await openStore(driver, newAccount()), await openStore(other, newAccount())];
}

test("a charge's outcome and the end of its page never wait for each other", async () => {
  const [one, two] = await openTwo();
  const tokens = Array.from({ length: 40 }, (_, i) => `token${i}`);
  const payments = await Promise.all(tokens.map((token) => addPage(one, token)));
  for (const payment of payments) await one.chargePage(onPage(payment));
  const ends = await Promise.all(
    payments.flatMap((payment) => [
      one.moveCharge(toPaid(payment)),
      two.closePage(closing(canceled(payment))),
    ]),
  );
  expect(ends.filter((end) => end === "written")).toHaveLength(payments.length);
});

test.each(["signs in", "is seen", "gets another link"])(
  "an operator that %s and its removal never wait for each other",
  async (what) => {
    const [one, two] = await openTwo();
    for (let round = 0; round < 20; round++) {
      const ids = Array.from({ length: 20 }, (_, i) => `op_${round}_${i}`);
      const operators = ids.map((id) => operatorOf(id, { role: "viewer" }));
      for (const each of operators)
        await (what === "is seen" ? signIn(one, each) : invite(one, each));
      await Promise.all(
        operators.flatMap(({ id, accounts }) => {
          const session = sessionOf(id);
          const later = { ...session, usedAtMs: session.usedAtMs + 2000 };
          const invitation = { hash: `fresh ${id}`, operatorId: id, expiresAtMs: 1 };
          const invitationHash = `invitation of ${id}`;
          const begin = {
            "signs in": async () => one.acceptInvitation({ invitationHash, session, activity: [] }),
            "is seen": async () => one.noteSession(later),
            "gets another link": async () =>
              one.reinviteOperator({ invitation, role: undefined, activity: [] }),
          }[what];
          return [begin?.(), two.removeOperator({ id, accounts, activity: [] })];
        }),
      );
    }
  },
);
