import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryHome } from "./temporary-home.ts";

/** A variable that makes a new Node process write its environment to a file, and a reader of that file. */
export function recordNodeEnvironment() {
  const file = join(createTemporaryHome(), "seen");
  const recorder = `
    import { writeFileSync } from "node:fs";
    writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env));
  `;
  return {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(recorder)}`,
    read: () => JSON.parse(readFileSync(file, "utf8")) as Record<string, string>,
  };
}
