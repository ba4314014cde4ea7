import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTemporaryHome } from "../command/temporary-home.ts";
import { documentedCode, startExample } from "../documented-example.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The receiver of docs/webhooks.md in a process of its own, where this package is installed. */
export async function startExampleReceiver(secret: string) {
  const folder = createTemporaryHome();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/payments-cli"));
  const env = { PAYMENTS_WEBHOOK_SECRET: secret };
  return await startExample(documentedCode("webhooks.md", "js"), { env, folder });
}
