// A process that opens a PostgreSQL driver with several connections, and closes it at the end of its standard input.
// It should then exit by itself: node close-driver.ts URL
import { once } from "node:events";
import { queryRows } from "../../src/service/database/driver.ts";
import { openPostgres } from "../../src/service/database/postgres.ts";

const driver = openPostgres(process.argv[2] ?? "");
const reads = Array.from({ length: 5 }, async () =>
  driver.read(() => queryRows("SELECT 1 FROM pg_sleep(0.1)", [])),
);
await Promise.all(reads);
process.stdout.write("open\n");
process.stdin.resume();
await once(process.stdin, "end");
await driver.close();
