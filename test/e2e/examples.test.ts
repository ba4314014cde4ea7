import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { launcher, runInShell } from "../testkit/command/run-payments.ts";
import { root } from "../testkit/command/built-commands.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { documentedCode, startExample } from "../testkit/documented-examples.ts";
import { openSandbox } from "../testkit/client/running-service.ts";
import { freePort } from "../testkit/sockets/tcp-proxy.ts";

// The examples, as a reader would run them.

const examples = join(root, "examples");

/** A folder in which a program finds this package, as after an installation. */
function installPackage(): string {
  const folder = createTemporaryHome();
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/payments-cli"));
  return folder;
}

/** The shop over a sandbox, which sends it webhooks. */
async function openShop() {
  const { sandbox, client } = await openSandbox();
  const port = await freePort();
  const endpoint = await client.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/hooks` });
  const env = {
    PORT: String(port),
    PAYMENTS_BASE_URL: sandbox.url,
    PAYMENTS_API_KEY: sandbox.keys.test,
    PAYMENTS_WEBHOOK_SECRET: endpoint.secret ?? "",
  };
  const code = readFileSync(join(examples, "shop.mjs"), "utf8");
  const { url, lines } = await startExample(code, { env, folder: installPackage() });
  /** Opens the shop's page, and gives the address of the form on it. */
  const openForm = async () => {
    const html = await (await fetch(url)).text();
    return url + (/action="([^"]+)"/.exec(html)?.[1] ?? "");
  };
  return { sandbox, client, endpoint, url, lines, openForm };
}

/** Sends the form, and gives the address to which it leads. */
async function buy(form: string): Promise<string | null> {
  return (await fetch(form, { method: "POST", redirect: "manual" })).headers.get("location");
}

describe("the shop", () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  beforeAll(async () => {
    shop = await openShop();
  });

  test("charges an order once, also after two clicks and a lost answer, and ships it once", async () => {
    const { sandbox, client, endpoint, lines, openForm } = shop;
    const form = await openForm();
    sandbox.fault({ on: "POST /v1/payments/hpp", do: "lost_answer", times: 2 });
    const pages = await Promise.all([buy(form), buy(form)]);
    const { data: made } = await client.payments.list();
    expect(made).toHaveLength(1);
    expect(pages).toEqual([made[0]?.redirect_url, made[0]?.redirect_url]);

    await client.checkout.pay(made[0]!, { testCard: "visa" });
    await expect.poll(async () => (await fetch(form)).text()).toContain("Your order is paid.");
    const id = form.split("/").at(-1);
    const { data: events } = await client.events.list({ type: "payment.succeeded" });
    await client.events.resend(events[0]?.id ?? "");
    const listStatuses = async () =>
      (await client.webhookEndpoints.deliveries(endpoint.id)).data.map(({ status }) => status);
    await expect.poll(listStatuses).toEqual(["delivered", "delivered", "delivered"]);
    expect(lines.filter((line) => line.endsWith("is paid"))).toEqual([`order ${id} is paid`]);
  });

  test("says that a declined order is not paid, and takes nothing from a forger", async () => {
    const { client, endpoint, url, openForm } = shop;
    const form = await openForm();
    await buy(form);
    const [payment] = (await client.payments.list()).data;
    await client.checkout.pay(payment!, { testCard: "insufficient-funds" });
    await expect.poll(async () => (await fetch(form)).text()).toContain("Your order is not paid.");
    const body = JSON.stringify({ type: "payment.succeeded", sequence: 9 });
    const headers = { "webhook-id": "evt_1", "webhook-timestamp": String(Date.now() / 1000) };
    expect((await fetch(`${url}/hooks`, { method: "POST", body, headers })).status).toBe(400);
    expect((await client.webhookEndpoints.test(endpoint.id)).status).toBe(204);
    expect(await (await fetch(form)).text()).toContain("Your order is not paid.");
  });
});

describe("the workflow of CI", () => {
  const file = "ci/pay-with-test-cards.sh";
  const script = readFileSync(join(examples, file), "utf8");

  const workflow = readFileSync(join(examples, "ci/payments.yml"), "utf8");
  const [install, pay = ""] = [...workflow.matchAll(/^ +- run: (.+)$/gm)].map(([, line]) => line);

  test("runs the script of the documentation, which ends with 0", async () => {
    expect(documentedCode("testing.md", "sh", "#!/bin/sh")).toBe(script);
    expect(install).toBe("npm ci");
    expect(await runStep(pay, script)).toBe(0);
  });

  test("fails where a payment ends otherwise", async () => {
    // npx itself is in the test above; it is this path to the step.
    const step = pay.replace("npx ", `PATH="$PWD/node_modules/.bin:$PATH" `);
    expect(await runStep(step, script.replace("--expect succeeded", "--expect failed"))).toBe(3);
  });

  /** Runs a step of the workflow in a project of a user. */
  async function runStep(step: string, text: string): Promise<number | null> {
    const project = installPackage();
    const bin = join(project, "node_modules/.bin");
    const program = `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`;
    writeFileSync(join(bin, "payments"), program, { mode: 0o755 });
    writeFileSync(join(project, "package.json"), "{}");
    cpSync(join(examples, "ci"), join(project, "ci"), { recursive: true });
    writeFileSync(join(project, file), text);
    const line = `cd '${project}' && ${step}`;
    return (await runInShell(line, { home: project })).exitCode;
  }
});
