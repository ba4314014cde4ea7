import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { createTemporaryHome } from "../testkit/command/temporary-home.ts";

const root = new URL("../..", import.meta.url).pathname;

const suite = `
import { ApiError, PaymentsClient, verifyWebhook, WebhookVerificationError } from "payments-cli/client";
import type { Event, Payment } from "payments-cli/client";
import { startService } from "payments-cli/service";

const { url, keys, close } = await startService();
const client = new PaymentsClient({ baseUrl: url, apiKey: keys.test });
const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" };
const payment: Payment = await client.payments.create({ amount: 4999, currency: "eur", card });
const statuses: string[] = [];
for await (const { status } of client.payments.all({ limit: 1 })) statuses.push(status);
const missing = await client.payments.retrieve("pay_x").catch((error: unknown) => error);
await client.payments.refund(payment.id);
const again = await client.payments.refund(payment.id).catch((error: unknown) => error);
if (!(missing instanceof ApiError) || !(again instanceof ApiError)) throw new Error("no ApiError");
const typeOf = ({ type }: Event) => type;
let checked = "";
try {
  checked = typeOf(verifyWebhook("{}", new Headers({ "webhook-id": "evt_1" }), keys.test));
} catch (error) {
  if (error instanceof WebhookVerificationError) checked = error.check;
}
console.log([payment.status, statuses.join(), missing.code, again.code, checked].join(" "));
await client.close();
await close();
`;

const program = `
import { PaymentsClient, verifyWebhook, WebhookVerificationError } from "payments-cli/client";

const client = new PaymentsClient({ baseUrl: "http://127.0.0.1:1", apiKey: "svc_test_sk_key", maxRetries: 0 });
client.payments.list().catch((lost) => {
  try {
    verifyWebhook("{}", {}, "whsec_AAAA");
  } catch (error) {
    console.log(lost.name + " " + (error instanceof WebhookVerificationError));
  }
});
`;

describe("payments-cli as a library", () => {
  const folder = createTemporaryHome();
  let installed: string;
  beforeAll(() => {
    installed = install(folder);
  });

  it("gives a program that installs it a typed client and a service", () => {
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(join(folder, "suite.ts"), suite);
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const options = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--types",
      "node",
    ];
    execFileSync(process.execPath, [tsc, ...options, "suite.ts"], {
      cwd: folder,
      encoding: "utf8",
    });
    const printed = execFileSync(process.execPath, ["suite.ts"], { cwd: folder, encoding: "utf8" });
    expect(printed.trim()).toBe(
      "succeeded succeeded resource_missing payment_already_refunded secret",
    );

    const argv = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];
    const env = { PATH: process.env["PATH"], HOME: folder };
    const command = [join(installed, "bin/run.js"), ...argv];
    const created = execFileSync(process.execPath, command, { env, encoding: "utf8" });
    expect(JSON.parse(created)).toMatchObject({ status: "succeeded" });
  });

  it.each(["esm", "cjs"] as const)("can be bundled with a program: %s", async (format) => {
    writeFileSync(join(folder, "program.js"), program);
    const outfile = join(createTemporaryHome(), format === "esm" ? "program.mjs" : "program.cjs");
    const entryPoints = [join(folder, "program.js")];
    await build({ entryPoints, outfile, format, bundle: true, platform: "node" });
    const printed = execFileSync(process.execPath, [outfile], { encoding: "utf8" });
    expect(printed.trim()).toBe("ConnectionError true");
  });
});

/** Installs the package as npm would publish it, with its one dependency and the types of Node. */
function install(folder: string): string {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  const packing = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const name = execFileSync("npm", packing, { cwd: root, encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", join(folder, name), "-C", modules]);
  renameSync(join(modules, "package"), join(modules, "payments-cli"));
  cpSync(join(root, "node_modules/zod"), join(modules, "zod"), { recursive: true });
  cpSync(join(root, "node_modules/@types/node"), join(modules, "@types/node"), { recursive: true });
  cpSync(join(root, "node_modules/undici-types"), join(modules, "undici-types"), {
    recursive: true,
  });
  return join(modules, "payments-cli");
}
