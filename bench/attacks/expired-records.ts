import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import autocannon from "autocannon";
import { openDriver } from "../../src/service/database/database.ts";
import { openStore } from "../../src/service/server/open-service.ts";
import { newAccount, paymentIn } from "../../test/testkit/database/records.ts";
import { writeOf } from "../../test/service/database/contract/writes.ts";
import { createBody } from "../figure.ts";
import { startAttacked, type Observation } from "./attacked.ts";

const records = 100_000;
const createsPerSecond = 2_000;
const atOnce = 1_000;
const timeoutMs = 60_000;

/** A hundred thousand idempotency records that have expired, beside two thousand creates a second. */
export async function attackWithExpiredRecords(): Promise<Observation[]> {
  const attacked = await startAttacked({ prepare: fill });
  const db = new DatabaseSync(attacked.file, { readOnly: true, timeout: 1_000 });
  const count = db.prepare("SELECT COUNT(*) AS left FROM idempotency_records");
  const countLeft = () => Number(count.get()?.["left"]);
  const startMs = performance.now();
  const options: autocannon.Options = {
    url: `${attacked.url}/v1/payments`,
    method: "POST",
    headers: { authorization: attacked.authorization, "content-type": "application/json" },
    body: createBody,
    connections: 32,
    duration: timeoutMs / 1000,
    overallRate: createsPerSecond,
  };
  let instance: autocannon.Instance | undefined;
  const load = new Promise<autocannon.Result>((resolve) => {
    instance = autocannon(options, (_error, result) => resolve(result));
  });
  while (countLeft() > 0 && performance.now() - startMs < timeoutMs) await delay(100);
  const seconds = (performance.now() - startMs) / 1000;
  const remaining = countLeft();
  db.close();
  instance?.stop();
  const { requests, non2xx, errors, timeouts } = await load;
  await attacked.end();
  return [
    { what: `expired records left of ${records}`, seen: remaining, max: 0 },
    { what: "seconds until none was left", seen: seconds, max: timeoutMs / 1000 },
    { what: "creates a second meanwhile", seen: requests.average },
    { what: "creates that failed", seen: non2xx + errors + timeouts, max: 0 },
  ];
}

async function fill(database: string): Promise<void> {
  const store = await openStore(await openDriver(database), newAccount());
  for (let done = 0; done < records; done += atOnce) {
    await Promise.all(
      Array.from({ length: atOnce }, async (_, index) =>
        store.createPayment(() =>
          writeOf(paymentIn("succeeded", Date.now()), { key: `k-${done + index}` }),
        ),
      ),
    );
  }
  await store.close();
}
