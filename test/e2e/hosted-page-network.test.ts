import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { runningService } from "../testkit/client/running-service.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";
import {
  customers,
  fillIn,
  hostedPayment,
  press,
  says,
  visa,
} from "../testkit/pages/in-browser.ts";

const { newWindow, takeErrors } = customers();
const approved = { outcome: "approved", reference: "ch_1" };
const processing = { outcome: "processing", reference: "ch_1", ask_again_in: 1 };

const adapter = await startAdapter();
const databaseFile = join(createTemporaryHome(), "payments.db");
const service = runningService({
  database: `sqlite:${databaseFile}`,
  network: { url: adapter.url, secret: "secret" },
});

test("a charge that is approved after the customer canceled is refunded", async () => {
  const { id, address, now } = await openLivePayment();
  const answer = adapter.hold(approved);
  const page = await newWindow({ javaScriptEnabled: false });
  const other = await page.context().newPage();
  await page.goto(address);
  await fillIn(page, visa);
  const pressed = press(page, "Pay €49.99");
  await expect.poll(() => adapter.books.get(id)).toEqual(approved);
  endClaims();
  await other.goto(address);
  await says(other, "Your bank has not answered yet");
  await press(other, "Cancel payment");
  await says(other, "Payment canceled");
  const status = await other.getByRole("status").textContent();
  expect(status).toContain("If the charge still goes through, it will be refunded");
  await expect.poll(() => adapter.books.get(id)).toEqual({ outcome: "canceled" });
  answer();
  await pressed;
  await says(page, "Payment canceled");
  expect(await now()).toMatchObject({ status: "failed", decline_code: "customer_canceled" });
  expect(adapter.books.get(id)).toEqual({ outcome: "canceled" });
  expect(adapter.charged.filter((each) => each === id)).toHaveLength(1);
});

test("a waiting page does not move the focus, and continues after a failed request", async () => {
  const { id, address } = await openLivePayment();
  adapter.hold(processing)();
  const page = await newWindow();
  await page.goto(address);
  await fillIn(page, visa);
  await press(page, "Pay €49.99");
  await says(page, "Processing your payment");
  endClaims();
  await says(page, "Your bank has not answered yet");
  await page.getByRole("button", { name: "Cancel payment" }).focus();
  await page.waitForResponse(address);
  await page.route(address, async (route) => route.abort());
  await page.waitForEvent("requestfailed");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Cancel payment");
  expect(takeErrors()).not.toEqual([]);
  await page.unroute(address);
  adapter.books.set(id, approved);
  await says(page, "Payment complete");
});

async function openLivePayment() {
  const client = service.client({ apiKey: service.keys.live });
  return hostedPayment({ client: () => client });
}

/** Ends the time for which each page waits for the network. */
function endClaims(): void {
  const database = new DatabaseSync(databaseFile, { timeout: 10_000 });
  database.exec("UPDATE hosted_pages SET claimed_until_ms = 0");
  database.close();
}

/** An adapter with one decision for every charge, whose responses can be delayed. */
async function startAdapter() {
  const books = new Map<string, object>();
  const charged: string[] = [];
  let decision: object = approved;
  let mayAnswer = Promise.resolve();
  const server = createServer(async (request, response) => {
    const [status, body] = await answerTo(request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });

  async function answerTo(request: IncomingMessage): Promise<[number, object]> {
    const [, , id = "", verb] = (request.url ?? "").split("/");
    if (verb === "cancel") {
      books.set(id, { outcome: "canceled" });
      return [200, { outcome: "canceled" }];
    }
    if (request.method === "GET") {
      await mayAnswer;
      return [200, books.get(id) ?? {}];
    }
    const charge = (await json(request)) as { id: string };
    charged.push(charge.id);
    books.set(charge.id, decision);
    await mayAnswer;
    return [200, decision];
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  openUntilFileEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The decision about each charge. */
    books,
    /** The payments of its charge requests. */
    charged,
    /** Decides so about charges from now on, and delays every response until the returned function is called. */
    hold: (decides: object): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      decision = decides;
      mayAnswer = promise;
      return resolve;
    },
  };
}
