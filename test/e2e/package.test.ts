import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { root } from "../testkit/command/built-commands.ts";
import { outputs } from "../testkit/command/built-sources.ts";
import { createTemporaryHome } from "../testkit/command/temporary-home.ts";

const suite = `
import { ApiError, PaymentsClient, verifyWebhook, WebhookVerificationError } from "payments-cli/client";
import type { Event, Payment } from "payments-cli/client";
import { startService, type ServeSettings } from "payments-cli/service";

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
const toStripe: Partial<ServeSettings> = { network: { stripe: { secretKey: "sk_test_none" } } };
const { message } = await startService(toStripe).catch((error: Error) => error) as Error;
console.log([payment.status, statuses.join(), missing.code, again.code, checked, message].join(" "));
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
    writeFileSync(join(folder, "program.js"), program);
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
    expect(runNode(join(folder, "suite.ts"))).toBe(
      "succeeded succeeded resource_missing payment_already_refunded secret Payments at Stripe need the package stripe, which is not installed: npm install stripe",
    );

    const argv = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];
    const env = { PATH: process.env["PATH"], HOME: folder };
    const command = [join(installed, "bin/run.js"), ...argv];
    const created = execFileSync(process.execPath, command, { env, encoding: "utf8" });
    expect(JSON.parse(created)).toMatchObject({ status: "succeeded" });
  });

  it("imports the libraries that package.json names, and no others", () => {
    const files = Object.entries(outputs).filter(([file]) => file.endsWith(".js"));
    const imports = files.flatMap(([, output]) => output.imports);
    const imported = imports.flatMap(({ path, external }) =>
      external && !path.startsWith("node:") ? [path] : [],
    );
    const { dependencies, peerDependencies } = packageJson;
    const named = Object.keys({ ...dependencies, ...peerDependencies });
    expect([...new Set(imported)].toSorted()).toEqual(named.toSorted());
  });

  it("can be bundled with a program by esbuild as CommonJS", async () => {
    const outfile = join(createTemporaryHome(), "program.cjs");
    const entryPoints = [join(folder, "program.js")];
    await build({ entryPoints, outfile, format: "cjs", bundle: true, platform: "node" });
    expect(runNode(outfile)).toBe("ConnectionError true");
  });
});

function runNode(file: string): string {
  return execFileSync(process.execPath, [file], { encoding: "utf8" }).trim();
}

/**
 * Installs the package as npm would publish it, beside links to its dependencies and the types of Node: an import of
 * anything else fails.
 */
function install(folder: string): string {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  const packing = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const name = execFileSync("npm", packing, { cwd: root, encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", join(folder, name), "-C", modules]);
  renameSync(join(modules, "package"), join(modules, "payments-cli"));
  for (const library of [...Object.keys(packageJson.dependencies), "@types/node"]) {
    mkdirSync(dirname(join(modules, library)), { recursive: true });
    symlinkSync(join(root, "node_modules", library), join(modules, library));
  }
  return join(modules, "payments-cli");
}
