// A process that writes the search index of a database, so that the service answers meanwhile. It gets the database on
// its standard input, then a line whenever many payments are new, ends with that or when nothing has come for a while,
// and prints what fails, a line of JSON each (see index-job.ts).
import { once } from "node:events";
import { writeSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";
import { isSea } from "node:sea";
import { writeJson } from "../../runtime/text.ts";
import { toMaskedError } from "../../contract/mask.ts";
import { type IndexTask, createIndexJob } from "./index-job.ts";
import { keepHeapSmall } from "./small-heap.ts";
import { startJob } from "./scheduler.ts";
import { createPaymentIndexer } from "../search/index-payments.ts";
import { openDriver } from "../database/database.ts";
import { createSearchStore } from "../search/search-store.ts";
import { ids } from "../database/ids.ts";

// Ctrl-C and a closed terminal signal this process too, but its parent ends it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const { priority } = constants;

// Requests come first where the processors are few: the index may be behind.
setPriority(priority.PRIORITY_BELOW_NORMAL);

indexUntilEnd().catch((error: unknown) => {
  print({ err: toMaskedError(error) }, "payments cannot be indexed");
  process.exit(1); // standard input is still open
});

async function indexUntilEnd(): Promise<void> {
  const input = createInterface({ input: process.stdin });
  const ended = once(input, "close");
  const [line] = (await once(input, "line")) as [string];
  const { database, owner, quietMs } = JSON.parse(line) as IndexTask;
  if (isSea()) keepHeapSmall(); // it is given no flags
  const driver = await openDriver(database, { isDerived: true });
  const store = createSearchStore(driver);
  const indexer = createPaymentIndexer({ store, clock: Date.now, ids, firstOwner: owner });
  let busyMs = performance.now();
  const indexUntilQuiet: typeof indexer = async (signal) => {
    const pass = await indexer(signal);
    if (!pass.isAtRest) busyMs = performance.now();
    else if (performance.now() - busyMs > quietMs) input.close();
    return pass;
  };
  const job = createIndexJob(indexUntilQuiet);
  input.on("line", job.endPause);
  const stop = startJob(job, { info: print, warn: print, error: print });
  await ended;
  await stop();
  await driver.close();
  process.stdin.destroy(); // else it keeps the process
}

function print(fields: object, message: string): void {
  writeSync(1, `${writeJson({ ...fields, message })}\n`);
}
