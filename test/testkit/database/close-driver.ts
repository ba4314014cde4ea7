// A process that opens a PostgreSQL and connections to it, closes it when it is told to, and has
// nothing left to do then:
//   node close-driver.ts URL
import { once } from "node:events";
import { queryRows } from "../../../src/service/store/driver.ts";
import { openPostgres } from "../../../src/service/store/postgres.ts";

const driver = openPostgres(process.argv[2] ?? "");
const asked = Array.from({ length: 5 }, async () =>
  driver.read(() => queryRows("SELECT 1 FROM pg_sleep(0.1)", [])),
);
await Promise.all(asked);
process.stdout.write("open\n");
process.stdin.resume();
await once(process.stdin, "end");
await driver.close();
