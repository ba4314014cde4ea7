// A process that logs COUNT lines and ends as ENDING says:
//   node write-log.ts COUNT ENDING
import { openLog } from "../../../src/service/server/logger.ts";

const [count = "0", ending = ""] = process.argv.slice(2);
const log = await openLog("info");
for (let line = 1; line <= Number(count); line++) log.info({ line }, "request");

switch (ending) {
  case "when it has nothing left to do":
    break;
  case "by process.exit":
    process.exit(0);
    break;
  case "by an error that nobody catches":
    setImmediate(() => {
      throw new Error("a fault");
    });
    break;
  case "by a rejection that nobody handles":
    void Promise.reject(new Error("a fault"));
    break;
  default: // when standard input does
    process.stdin.resume();
}
