import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import type { PageView } from "../../../src/service/web/checkout/page-view.ts";
import { servePage } from "./page-server.ts";

/**
 * A connection to the browser, and a server, for the tests of a file. A test fails if its page logs an error of the
 * script, or a violation of the policy.
 */
export function shownPages() {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof servePage>>;
  let plain: Page | undefined;
  const errors: string[] = [];
  beforeAll(async () => {
    browser = await chromium.connect(inject("browser"));
    server = await servePage();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });
  afterEach(async () => {
    const others = browser.contexts().filter((context) => context !== plain?.context());
    await Promise.all(others.map(async (context) => context.close()));
    expect(errors.splice(0)).toEqual([]);
  });

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage({ reducedMotion: "reduce", ...options });
    page.setDefaultTimeout(120_000);
    page.on("console", (message) => errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(String(error)));
    return page;
  }

  return {
    server: () => server,
    /** Opens a view in the window that all tests of the file share, or in a new one if there are options. */
    open: async (view: PageView, options?: BrowserContextOptions): Promise<Page> => {
      const page = options ? await newPage(options) : (plain ??= await newPage());
      server.show(view);
      await page.goto(server.url);
      return page;
    },
  };
}
