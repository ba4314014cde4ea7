import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import type { CreateHosted } from "../../../src/client/calls.ts";
import type { runningService } from "../client/running-service.ts";

/**
 * A connection to the browser for the tests of a file. A test fails when one of its pages complained: of an error, or
 * of what the page's policy refused. That a page's status is 4xx, where it is to be, is no complaint.
 */
export function customers() {
  let browser: Browser | undefined;
  const complaints: string[] = [];
  beforeAll(async () => {
    browser = await chromium.connect(inject("browser"));
  });
  afterAll(async () => browser?.close());
  afterEach(async () => {
    await Promise.all(browser?.contexts().map(async (context) => context.close()) ?? []);
    expect(complaints.splice(0)).toEqual([]);
  });

  return {
    /** A customer's window. */
    newWindow: async (options: BrowserContextOptions = {}): Promise<Page> => {
      if (!browser) throw new Error("The browser runs only while tests do.");
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      context.setDefaultTimeout(120_000);
      context.on("console", (message) => {
        if (!answeredWith4xx.test(message.text())) complaints.push(message.text());
      });
      context.on("weberror", (error) => complaints.push(String(error.error())));
      return await context.newPage();
    },
    /** What the pages of this test have complained of so far, which is then expected. */
    complaints: (): string[] => complaints.splice(0),
  };
}

const answeredWith4xx =
  /^Failed to load resource: the server responded with a status of (?:403|404|409|422)\b/;

export const visa = "4242424242424242";

/** A payment with a page, and how it stands. */
export async function hostedPayment(
  service: ReturnType<typeof runningService>,
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

/** Waits until the page says something in its heading. */
export async function says(page: Page, heading: string): Promise<void> {
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}
