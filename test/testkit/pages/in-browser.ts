import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import type { CreateHosted } from "../../../src/client/calls.ts";
import { runningService } from "../client/running-service.ts";
import { scriptedServer, text } from "../client/scripted-server.ts";
import { secret, startWatchedAdapter } from "../documented-examples.ts";

/**
 * A connection to the browser for the tests of a file. A test fails if one of its pages logs an error, or a violation
 * of the page's policy. A page's own status of 4xx is no error.
 */
export function customers() {
  let browser: Browser | undefined;
  const errors: string[] = [];
  beforeAll(async () => {
    browser = await chromium.connect(inject("browser"));
  });
  afterAll(async () => browser?.close());
  afterEach(async () => {
    await Promise.all(browser?.contexts().map(async (context) => context.close()) ?? []);
    expect(errors.splice(0)).toEqual([]);
  });

  return {
    /** A customer's window. */
    newWindow: async (options: BrowserContextOptions = {}): Promise<Page> => {
      if (!browser) throw new Error("The browser runs only while tests do.");
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      context.setDefaultTimeout(120_000);
      context.on("console", (message) => {
        if (!answeredWith4xx.test(message.text())) errors.push(message.text());
      });
      context.on("weberror", (error) => errors.push(String(error.error())));
      return await context.newPage();
    },
    /** Returns and clears the errors of this test's pages, for a test that expects them. */
    takeErrors: (): string[] => errors.splice(0),
  };
}

const answeredWith4xx =
  /^Failed to load resource: the server responded with a status of (?:400|403|404|409|422)\b/;

export const visa = "4242424242424242";

/** A payment with a page, and a function that retrieves it. */
export async function hostedPayment(
  service: Pick<ReturnType<typeof runningService>, "client">,
  fields: Partial<CreateHosted> = {},
) {
  const { payments } = service.client();
  const { id, redirect_url } = await payments.createHosted({
    amount: 4999,
    currency: "eur",
    ...fields,
  });
  return { id, address: redirect_url ?? "", now: async () => payments.retrieve(id) };
}

/** Fills in the form of a payment's page. */
export async function fillIn(
  page: Page,
  number: string,
  changes: Record<string, string> = {},
): Promise<void> {
  const card = { number, expiry: "12 / 40", cvc: "123", name: "Ada Lovelace", ...changes };
  for (const [name, value] of Object.entries(card)) await page.fill(`#${name}`, value);
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click();
}

/** Waits for a heading of the page. */
export async function says(page: Page, heading: string): Promise<void> {
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

/**
 * The service, attached to the documented adapter, for the tests of one file. Returns a function that opens a payment
 * with a page.
 */
export async function openServiceOverAdapter() {
  const adapter = await startWatchedAdapter();
  const logged: object[] = [];
  const write = (fields: object) => logged.push(fields);
  const log = { info: write, warn: write, error: write };
  const service = runningService({ network: { url: adapter.url, secret }, log });
  return async (mode: "test" | "live") => {
    const shop = await scriptedServer(text(200, "Thanks!", { "content-type": "text/html" }));
    const client = service.client({ apiKey: service.keys[mode] });
    const return_url = `${shop.url}/thanks?order=7`;
    const payment = await hostedPayment({ client: () => client }, { return_url });
    const bankPath = `/bank/${payment.id}`;
    const chargedBefore = adapter.requests("POST", "/charges").length;
    return {
      ...payment,
      /** The adapter's record of the charge. */
      findCharge: async () => adapter.findCharge(payment.id),
      /** The number of charges that were requested since the payment was made. */
      countCharges: () => adapter.requests("POST", "/charges").length - chargedBefore,
      /** The address of the bank's page for this payment. */
      bank: adapter.url + bankPath,
      /** The page that each customer comes from, as far as the bank learns it. */
      referrers: () => adapter.requests("GET", bankPath).map(({ headers }) => headers.referer),
      shop: shop.url,
      /** The log of the service, since the file's first test. */
      log: () => JSON.stringify(logged),
    };
  };
}
