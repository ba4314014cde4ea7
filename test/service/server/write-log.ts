// A process that logs COUNT lines, and ends in the way of ENDING:
//   node write-log.ts COUNT ENDING
import { openLog } from "../../../src/service/server/run-service.ts";

const [count = "0", ending = ""] = process.argv.slice(2);
const log = await openLog("info");
for (let line = 1; line <= Number(count); line++) log.info({ line }, "request");

switch (ending) {
  case "without further work":
    break;
  case "by process.exit":
    process.exit(0);
    break;
  case "by an uncaught error":
    setImmediate(() => {
      throw new Error("a fault");
    });
    break;
  case "by an unhandled rejection":
    void Promise.reject(new Error("a fault"));
    break;
  default: // ends with standard input
    process.stdin.resume();
}
