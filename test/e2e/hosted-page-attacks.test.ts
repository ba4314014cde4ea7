import { expect, test } from "vitest";
import { runningService } from "../testkit/client/running-service.ts";
import { scriptedServer, text } from "../testkit/client/scripted-server.ts";
import { customers, hostedPayment, press, says, visa } from "../testkit/pages/in-browser.ts";

const { newWindow, takeErrors } = customers();
const service = runningService();
const html = { "content-type": "text/html" };

/** A page of another site, which knows the address of a payment's page. */
async function otherSite(content: string, { host }: { host: string }): Promise<string> {
  const server = await scriptedServer(text(200, `<!doctype html>${content}`, html));
  return server.url.replace("127.0.0.1", host);
}

/** Another site, and one that differs from the service by its port alone. */
const hosts = [{ host: "localhost" }, { host: "127.0.0.1" }];

test.each(hosts)("a payment form of another origin ($host) is refused", async ({ host }) => {
  const { address, now } = await hostedPayment(service);
  const card = { number: visa, expiry: "12/40", cvc: "123", name: "" };
  const fields = Object.entries(card)
    .map(([name, value]) => `<input name="${name}" value="${value}">`)
    .join("");
  const form = `<form method="post" action="${address}">${fields}<button>Win</button></form>`;
  const page = await newWindow();
  await page.goto(await otherSite(form, { host }));
  const [answer] = await Promise.all([page.waitForResponse(address), press(page, "Win")]);
  expect(answer.status()).toBe(403);
  await says(page, "Something went wrong");
  expect(await now()).toMatchObject({ status: "pending", card: null });

  await page.goto(address);
  await says(page, "Amount due €49.99");
});

test("a page in a frame of another origin is not shown", async () => {
  const { address } = await hostedPayment(service);
  const page = await newWindow();
  await page.goto(await otherSite(`<iframe src="${address}"></iframe>`, { host: "localhost" }));
  const framed = page.frames()[1];
  await framed?.waitForLoadState();
  expect(framed?.url()).toMatch(/^chrome-error:/);
  expect(await framed?.locator("form").count()).toBe(0);
  expect(takeErrors().join("\n")).toMatch(/frame/);
});

const hostile = [
  `</p></main><script>document.title = "taken"</script>`,
  `<img src="https://attacker.example/x.png" onerror="document.title = 'taken'">`,
  `"'><a href="https://attacker.example">Pay here</a>&lt;b&gt;{{7*7}}`,
];
const turning = "\u202E99.94€ yaP\u2066\u0007\u001B[31m\u009B";

test("a description with HTML is shown as text", async () => {
  const description = [...hostile, turning].join(" ");
  const { address } = await hostedPayment(service, { description });
  const page = await newWindow();
  const origins: string[] = [];
  page.on("request", (request) => origins.push(new URL(request.url()).origin));
  await page.goto(address);
  const shown = await page.textContent(".description");
  expect(shown).toContain(hostile.join(" "));
  expect(shown).toContain("99.94€ yaP");
  expect(shown).not.toMatch(/[\u202A-\u202E\u2066-\u2069\p{Cc}]/u);
  expect(await page.title()).not.toBe("taken");
  expect(await page.locator("img, .description *").count()).toBe(0);
  expect(new Set(origins)).toEqual(new Set([service.url]));
});
