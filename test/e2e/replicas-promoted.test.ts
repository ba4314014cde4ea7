import { expect, onTestFinished, test } from "vitest";
import {
  type Postgres,
  endPostgres,
  startPostgres,
  startStandby,
} from "../testkit/database/start-postgres.ts";
import {
  isDone,
  isTransient,
  readPayments,
  sender,
  startLoad,
} from "../testkit/deployment/load.ts";
import { queryDatabase, startReplicas } from "../testkit/deployment/replicas.ts";

test("each payment and refund that two replicas acknowledged exists once after their primary is lost and its standby promoted", async () => {
  const { primary, standby } = await startPair();
  const replicas = await startReplicas(2, urlOfBoth(primary, standby));
  const { key } = await replicas.createKey();
  const load = startLoad(replicas.urls, sender(key));

  await load.untilServed(replicas.urls, 0);
  const lostAtMs = performance.now();
  await endPostgres(primary, "SIGKILL");
  await load.untilRefused(replicas.urls, lostAtMs);
  for (const url of replicas.urls) expect((await fetch(`${url}/readyz`)).status).toBe(503);
  await queryDatabase(standby.url, "SELECT pg_promote()");
  await load.untilServed(replicas.urls, performance.now());
  const { outcomes, acknowledged } = await load.end();

  expect(outcomes.filter((each) => !isDone(each) && !isTransient(each))).toEqual([]);
  expect(outcomes.filter(({ status }) => status === 0)).toEqual([]); // no replica crashed
  expect(await readPayments(standby.url)).toEqual(acknowledged);
  expect(replicas.log()).not.toContain("internal_error");
});

/** A primary that acknowledges a commit only once its standby has it on disk. */
async function startPair() {
  const primary = await startPostgres();
  onTestFinished(primary.stop);
  const standby = await startStandby(primary);
  onTestFinished(standby.stop);
  for (const sql of ["ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"])
    await queryDatabase(primary.url, sql);
  const states = async () =>
    queryDatabase(primary.url, "SELECT sync_state FROM pg_stat_replication");
  await expect.poll(states).toEqual([{ sync_state: "sync" }]);
  return { primary, standby };
}

function urlOfBoth(primary: Postgres, standby: Postgres): string {
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join();
  return `${primary.url.replace(new URL(primary.url).host, hosts)}?target_session_attrs=read-write`;
}
