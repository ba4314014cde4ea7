import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./installed-command.ts";

const root = new URL("../..", import.meta.url).pathname;

const suite = `
import { ApiError, PaymentsClient, type Payment } from "payments-cli/client";
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
console.log([payment.status, statuses.join(), missing.code, again.code].join(" "));
await client.close();
await close();
`;

describe("payments-cli as a library", () => {
  it("gives a typed client and a service to a program that has it installed", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "node_modules", "@types"), { recursive: true });
    symlinkSync(root, join(folder, "node_modules", "payments-cli"));
    symlinkSync(join(root, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
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
    expect(printed.trim()).toBe("succeeded succeeded resource_missing payment_already_refunded");
  }, 60_000);

  it("names every file that the command needs in its package", () => {
    const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      files: string[];
    };
    expect(files).toEqual(
      expect.arrayContaining(["bin/run.js", "dist", "docs/errors.html", "oclif.manifest.json"]),
    );
  });
});
