import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { newHome } from "../../cli/settings/temporary-home.ts";
import { openUntilFileEnds } from "../../open-until-file-ends.ts";

const page = new URL("../../../docs/network-protocol.md", import.meta.url);
const [, code = ""] = /^```js\n(.*?)^```$/ms.exec(readFileSync(page, "utf8")) ?? [];

export const secret = "the adapter's secret";

/** The adapter of docs/network-protocol.md in a process of its own, changed or as it is; gives its address. */
export async function startExampleAdapter(
  change: (code: string) => string = (unchanged) => unchanged,
): Promise<string> {
  const file = join(newHome(), "adapter.mjs");
  writeFileSync(file, change(code));
  const adapter = spawn(process.execPath, [file], {
    env: { PAYMENTS_NETWORK_SECRET: secret, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  openUntilFileEnds(() => adapter.kill());
  const [url] = (await once(createInterface(adapter.stdout), "line")) as [string];
  return url;
}

/** A change of a part that the example must have. */
export function replaced(part: string, by: string): (code: string) => string {
  return (unchanged) => {
    if (!unchanged.includes(part)) throw new Error(`The example has no ${part}`);
    return unchanged.replace(part, by);
  };
}
