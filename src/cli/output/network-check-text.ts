import type { ChalkInstance } from "chalk";
import { escapeControls } from "./safe-text.ts";

type Check = { name: string; ok: boolean; detail: string };

/** How an adapter's promises were kept, each on a line. */
export function formatNetworkCheck(checks: readonly Check[], style: ChalkInstance): string {
  return checks
    .map(({ name, ok, detail }) =>
      ok
        ? `${style.green("ok")}    ${name}`
        : `${style.red("FAIL")}  ${name}: ${escapeControls(detail)}`,
    )
    .join("\n");
}
