import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { Mode } from "../../src/contract/field-values.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { serveBound } from "../testkit/service/bind-use-cases.ts";
import { dashboardScript } from "../../src/service/web/dashboard/frame.ts";
import { scriptedServer, text } from "../testkit/client/scripted-server.ts";
import { body, declining } from "../testkit/client/running-service.ts";
import { barriers, showInPlace } from "../testkit/pages/draw-pages.ts";
import { customers, press, says } from "../testkit/pages/in-browser.ts";

const { newWindow } = customers();
const command = { type: "command", id: null, name: "root" } as const;

let running: Awaited<ReturnType<typeof serveBound>>;
let accounts: string[];
beforeAll(async () => {
  const local = { database: "sqlite::memory:", host: "127.0.0.1", port: 0 };
  running = await serveBound({ ...local, processingTimeMs: 50, dashboard: {} });
  await running.service.createAccount({ name: "Shoes & Sons" });
  accounts = (await running.service.listAccounts()).map(({ id }) => id);
});
afterAll(async () => running.close());

async function pay(mode: Mode, card = body.card): Promise<Payment> {
  const scope = { accountId: accounts[0] ?? "", livemode: mode === "live" };
  const request = { ...body, card, description: "Two pairs of shoes" };
  const answer = await running.service.createPayment(scope, request);
  return JSON.parse(answer.body) as Payment;
}

async function openPage(): Promise<Payment> {
  const answer = await running.service.createHostedPayment(inTest(), {
    amount: 1,
    currency: "eur",
  });
  return JSON.parse(answer.body) as Payment;
}

/** Asks the API wrongly for a payment; returns the id of the request once it is logged. */
async function logRefused(account: string, mode: Mode, payment: string): Promise<string> {
  const { service, url } = running;
  const { key } = await service.createKey({ account, mode, name: "n".repeat(200) });
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v1/payments/${payment}?expand=1`, { headers });
  await service.flushRequests();
  return answer.headers.get("service-request-id") ?? "";
}

/** Returns the ids of a key, an endpoint, a listener and an operator. */
async function createManagedObjects() {
  const { service } = running;
  const account = accounts[0] ?? "";
  const endpoint = async (url: string | null) => {
    const request = { url, description: "d".repeat(200) };
    const { body: made } = await service.createEndpoint(inTest(), request, undefined, command);
    return (JSON.parse(made) as { id: string }).id;
  };
  const key = await service.createKey({ account, mode: "test", name: "k".repeat(200) }, command);
  await service.rollKey(await service.createKey({ account, mode: "test", name: "shop" }), 60_000);
  const request = { name: "o".repeat(200), role: "support", accounts: [account] } as const;
  const { operator } = await service.inviteOperator(request, command);
  return {
    key: key.id,
    endpoint: await endpoint(`https://127.0.0.1:9/${"path".repeat(100)}`),
    listener: await endpoint(null),
    colleague: operator.id,
  };
}

async function statusOf({ id, livemode }: Payment): Promise<string> {
  const scope = { accountId: accounts[0] ?? "", livemode };
  return (JSON.parse(await running.service.getPayment(scope, id)) as Payment).status;
}

async function invite(role: "admin" | "support"): Promise<string> {
  const request = { name: "Ada Lovelace", role, accounts };
  const { token } = await running.service.inviteOperator(request, command);
  return `${running.url}/dashboard/invitations/${token}`;
}

/** An operator's window with the cookie of a session. */
async function signedIn(options: Parameters<typeof newWindow>[0] = {}): Promise<Page> {
  const headers = { "sec-fetch-site": "same-origin" };
  const answer = await fetch(await invite("admin"), {
    method: "POST",
    headers,
    redirect: "manual",
  });
  const [name = "", value = ""] = answer.headers.getSetCookie().join("").split(/[=;]/);
  const page = await newWindow(options);
  const cookie = { name, value, url: running.url, httpOnly: true, sameSite: "Strict" } as const;
  await page.context().addCookies([cookie]);
  return page;
}

const phone = { viewport: { width: 360, height: 740 } };

describe("an operator", () => {
  test.each([true, false])(
    "signs in by a link, finds a payment, and refunds it once by two clicks (script: %s)",
    async (javaScriptEnabled) => {
      const payment = await pay("test");
      const page = await newWindow({ ...phone, javaScriptEnabled });
      await page.goto(await invite("admin"));
      await press(page, "Accept and sign in");
      await says(page, "Overview");
      await page.getByText("Menu", { exact: true }).click();
      await page.getByRole("link", { name: "Payments", exact: true }).click();
      await says(page, "Payments");
      await page.getByRole("link", { name: payment.id }).click();
      await says(page, "Payment of 49.99 EUR");
      await page.getByRole("link", { name: "Refund…" }).click();
      await says(page, "Refund 49.99 EUR?");
      await page.getByRole("button", { name: "Refund 49.99 EUR" }).dblclick();
      await says(page, "Payment of 49.99 EUR");
      await page.getByText("Refunded", { exact: true }).first().waitFor();
      expect(await statusOf(payment)).toBe("refunded");
      const { items } = await running.service.listActivity(accounts[0] ?? "", { limit: 100 });
      expect(items.filter(({ subject }) => subject.id === payment.id)).toHaveLength(1);
    },
  );

  test("finds payments by words, narrows them, and goes on to those that share a value, without a script", async () => {
    const { service } = running;
    const name = "Curie";
    const details = {
      customer: { email: `${name}@example.com`, first_name: "Marie", last_name: name },
      metadata: { note: `for\n${name} & sons` },
    };
    for (const amount of [7_321, 500]) {
      await service.createPayment(inTest(), { ...body, ...details, amount });
    }
    const page = await signedIn({ ...phone, javaScriptEnabled: false });
    await page.goto(address("test", "/payments"));
    const rows = page.locator("tbody tr");
    const amountsAre = async (...amounts: string[]) =>
      expect.poll(async () => rows.locator(".money").allTextContents()).toEqual(amounts);

    await page.getByRole("searchbox", { name: "Find a payment" }).fill(`marie ${name}`);
    await press(page, "Search");
    await amountsAre("5.00 EUR", "73.21 EUR");
    await page.getByText("More", { exact: true }).click();
    await page.getByLabel("Amount").fill("73.21");
    await press(page, "Search");
    await amountsAre("73.21 EUR");
    await page.getByRole("link", { name: "Remove the filter Amount: 73.21" }).click();
    await amountsAre("5.00 EUR", "73.21 EUR");

    await page.getByRole("link", { name: /73\.21/ }).click();
    await says(page, "Payment of 73.21 EUR");
    await page.getByRole("link", { name: `${name} & sons` }).click();
    await amountsAre("5.00 EUR", "73.21 EUR");
    await page.getByText("More", { exact: true }).click();
    await page.getByLabel("Amount").fill("5.00");
    await press(page, "Search");
    await amountsAre("5.00 EUR");
    await page.getByRole("link", { name: /Remove the filter Metadata note/ }).waitFor();
  });

  test("stays signed in by a link on another site, although the browser sends no cookie at first", async () => {
    const page = await signedIn();
    const there = address("test", "/payments?status=succeeded");
    const mail = await scriptedServer(
      text(200, `<!doctype html><title>Mail</title><a href="${there}">Look</a>`, {
        "content-type": "text/html",
      }),
    );
    await page.goto(mail.url.replace("127.0.0.1", "localhost"));
    await page.getByRole("link", { name: "Look" }).click();
    await says(page, "Payments");
    expect(page.url()).toBe(there);
  });

  test("is signed out after signing out, also by going back", async () => {
    const page = await signedIn();
    await page.goto(address("test", ""));
    await page.locator(".person summary").click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await says(page, "Sign in");
    await page.goBack();
    await says(page, "Sign in");
    expect(page.url()).toBe(`${running.url}/dashboard/sign-in`);
  });

  test("copies a key by its button or by hand; two clicks create one key, and show it", async () => {
    const page = await signedIn();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(address("live", "/keys"));
    await page.fill("#name", "clicked twice");
    await page.getByRole("button", { name: "Create key" }).dblclick();
    await says(page, "New key");
    const key = await page.inputValue("#secret");
    expect(await inspectPage(page)).toEqual(fitting(1280));
    await press(page, "Copy");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
    await page.focus("#secret");
    expect(await page.evaluate("getSelection().toString()")).toBe(key);
    const keys = await running.service.listKeys(accounts[0]);
    expect(keys.filter(({ name }) => name === "clicked twice")).toHaveLength(1);
  });

  test("sees a form's mistakes at its fields, on a phone too", async () => {
    const page = await signedIn(phone);
    const inspected = await page.context().newPage();
    await inspected.goto(address("live", ""));
    for (const [path, fill, button, mistaken] of [
      ["/keys", "#name", "Create key", " "],
      ["/webhooks", "#url", "Create endpoint", " "],
      ["/team", "#name", "Invite", " "],
      ["/settings", "#name", "Save name", " "],
      ["/payments?status=failed", "#search", "Search", "***"],
    ] as const) {
      await page.goto(address("live", path));
      await page.fill(fill, mistaken);
      await press(page, button);
      await page.locator(".mistake").waitFor();
      await expect.poll(async () => page.evaluate("document.activeElement.id")).toBe(fill.slice(1));
      await showInPlace(inspected, await page.content());
      expect({ path, ...(await inspectPage(inspected)) }).toEqual({ path, ...fitting(360) });
    }
  });

  test("goes through a page by the keyboard from its beginning", async () => {
    const page = await signedIn(phone);
    await page.goto(address("test", "/settings"));
    const reached: string[] = [];
    for (let tabs = 0; tabs < 3; tabs++) {
      await page.keyboard.press("Tab");
      reached.push(await page.evaluate("document.activeElement.textContent"));
    }
    expect(reached).toEqual(["Skip to the page", "Menu", ""]);
  });

  test("closes a menu by tabbing on, or by Escape", async () => {
    const page = await signedIn(phone);
    await page.goto(address("test", ""));
    const [menu, open] = [
      page.locator("details.whole-menu summary"),
      page.locator("details.menu[open]"),
    ];
    await menu.press("Enter");
    await page.getByRole("button", { name: "Sign out everywhere" }).press("Tab");
    await expect.poll(async () => open.count()).toBe(0);
    await menu.press("Enter");
    await page.getByRole("link", { name: "Overview" }).press("Escape");
    await expect.poll(async () => open.count()).toBe(0);
  });

  test("reaches every page, account and mode by the menu of a phone", async () => {
    const page = await signedIn(phone);
    await page.goto(address("test", ""));
    for (const name of ["Settings", "Activity", "Live", "Shoes & Sons"]) {
      await page.getByText("Menu", { exact: true }).click();
      const link = page.getByRole("link", { name, exact: true });
      const { x, width } = (await link.boundingBox())!;
      expect(x + width).toBeLessThanOrEqual(360);
      await link.click();
      await page.waitForLoadState();
    }
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${accounts[1]}/live`);
  });

  test("sees times in UTC, or in the browser's time zone once it was chosen, and ages in tables", async () => {
    const payment = await pay("test");
    const page = await signedIn({ timezoneId: "Asia/Kolkata" });
    const time = page.locator("dd time").first();
    const there = address("test", `/payments/${payment.id}`);
    await page.goto(there);
    expect(await time.textContent()).toContain("UTC");
    await page.locator(".person summary").click();
    await page.getByRole("button", { name: "Show times in Asia/" }).click();
    expect(await time.textContent()).toContain("GMT+5:30");
    await page.goto(address("test", "/payments"));
    const age = page.locator("tbody time").first();
    expect(await age.textContent()).toBe("just now");
    expect(await age.getAttribute("title")).toContain("GMT+5:30");
    await page.locator(".person summary").click();
    await page.getByRole("button", { name: "Show times in UTC" }).click();
    expect(await age.getAttribute("title")).toContain("UTC");
  });
});

test("a chart says the value of the bar that a pointer or the arrow keys are at", async () => {
  await pay("test");
  const page = await signedIn();
  await page.goto(address("test", ""));
  const chart = page.locator(".chart").last();
  const value = chart.locator("[data-value]");
  const highest = (await value.textContent()) ?? "";
  expect(highest).toMatch(/^Highest \d+, \d/);
  await chart.locator(".bars").focus();
  expect(await value.textContent()).toMatch(/^\d+\s\w+\s\d{4}: [1-9]/);
  await page.keyboard.press("ArrowLeft");
  expect(await value.textContent()).toMatch(/: 0$/);
  await page.keyboard.press("Tab");
  expect(await value.textContent()).toBe(highest);
  await chart.locator(".bars svg").first().hover();
  expect(await value.textContent()).toMatch(/: 0$/);
});

function inTest() {
  return { accountId: accounts[0] ?? "", livemode: false };
}

function address(mode: Mode, path: string, account = accounts[0]): string {
  return `${running.url}/dashboard/${account}/${mode}${path}`;
}

/** The barriers of a page, and its width. */
async function inspectPage(page: Page) {
  return {
    barriers: await barriers(page),
    width: await widthOf(page),
  };
}

async function widthOf(page: Page): Promise<number> {
  return await page.evaluate("document.documentElement.scrollWidth");
}

function fitting(width: number) {
  return { barriers: [], width };
}

const looks = [
  { width: 1440, colorScheme: "light" },
  { width: 360, colorScheme: "dark" },
] as const;

test("every page is accessible, by turns on a phone in dark and on a desktop in light, and as wide as the window", async () => {
  const { key, endpoint, listener, colleague } = await createManagedObjects();
  const [payment, open] = [await pay("test"), await openPage(), await pay("test", declining)];
  const refused = await logRefused(accounts[0] ?? "", "test", payment.id);
  const [delivery] = (await running.service.listDeliveries(inTest(), endpoint, { limit: 1 })).items;
  const paths =
    `/test /test?from=2020-01-01&to=2020-01-01 /test?from=x&to=x /test?to=2100-01-01 /test/payments /test/payments?from=2020-01-01&to=2020-01-01 /test/payments?search=pay_x
    /test/payments?search=4242424242424242&from=x&amount=x&decline_code=x&status=x&metadata[${"k".repeat(41)}]=x
    /test/payments?search=two&last4=4242&metadata[${"k".repeat(40)}]=${"v".repeat(200)}
    /test/payments/${payment.id} /test/payments/${payment.id}/refund /test/payments/pay_x
    /test/payments/${open.id} /test/payments/${open.id}/cancel /test/payments/${payment.id}/cancel
    /test/requests /test/requests?status=4xx,5xx&method=GET&payment=${payment.id}&idempotency_key=k&from=2020-01-01&to=2020-01-01
    /test/requests?status=x&method=x&payment=4242424242424242&idempotency_key=%20a%20b&from=x /test/requests/${refused}
    /test/keys /test/keys/${key}/roll /test/keys/${key}/revoke
    /test/webhooks /test/webhooks/${endpoint} /test/webhooks/${endpoint}/roll /test/webhooks/${endpoint}/disable
    /test/webhooks/${endpoint}/delete /test/webhooks/${endpoint}/recover
    /test/webhooks/${endpoint}/deliveries/${delivery?.id} /test/webhooks/${listener} /test/team /test/team/${colleague}
    /test/team/${colleague}/remove /test/activity /test/settings /live /live/payments`.split(/\s+/);
  const page = await signedIn(phone);
  await page.goto(address("test", ""));
  for (const [index, path] of paths.entries()) {
    const { width, colorScheme } = looks[index % looks.length]!;
    await page.setViewportSize({ width, height: 740 });
    await page.emulateMedia({ colorScheme });
    const shownPage = await page.request.get(`${running.url}/dashboard/${accounts[0]}${path}`);
    await showInPlace(page, await shownPage.text(), dashboardScript);
    // The menus, which are the same on every page and cover a part of it, are opened on the first pages only.
    const unfolded = index < looks.length ? "details" : "main details";
    await page.evaluate(
      `for (const each of document.querySelectorAll("${unfolded}")) each.open = true`,
    );
    const shown = { path, colorScheme, ...(await inspectPage(page)) };
    expect(shown).toEqual({ path, colorScheme, ...fitting(width) });
  }
});

test("the invitation and sign-in pages are accessible", async () => {
  const page = await newWindow(phone);
  const signIn = `${running.url}/dashboard/sign-in`;
  await page.goto(signIn);
  for (const url of [signIn, await invite("support"), `${running.url}/dashboard/invitations/x`]) {
    await showInPlace(page, await (await page.request.get(url)).text());
    expect({ url, ...(await inspectPage(page)) }).toEqual({ url, ...fitting(360) });
  }
});
