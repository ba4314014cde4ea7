import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newHome } from "./temporary-home.ts";

/** A variable that makes a new Node process write its environment to a file, and a reader of that file. */
export function tellingNode() {
  const seen = join(newHome(), "seen");
  const telling = `
    import { writeFileSync } from "node:fs";
    writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env));
  `;
  return {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(telling)}`,
    told: () => JSON.parse(readFileSync(seen, "utf8")) as Record<string, string>,
  };
}
