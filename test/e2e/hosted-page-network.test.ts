import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { json } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import { barriers } from "../testkit/service/barriers.ts";
import { customers, fillIn, press, says, visa } from "../testkit/pages/in-browser.ts";
import {
  createKey,
  startServingWith,
  createTemporaryFolder,
} from "../testkit/command/installed-command.ts";

const { newWindow, takeErrors } = customers();
const approved = { outcome: "approved", reference: "ch_1" };
const processing = { outcome: "processing", reference: "ch_1", ask_again_in: 1 };

describe.each([true, false])("over a card network (script: %s)", (javaScriptEnabled) => {
  test("the page waits for a payment that is not decided yet, and then shows it as paid", async () => {
    const { adapter, id, address } = await payableOver({ decides: processing });
    const page = await newWindow({ javaScriptEnabled });
    await page.goto(address);
    await fillIn(page, visa);
    await press(page, "Pay €49.99");
    await says(page, "Processing your payment");
    adapter.books.set(id, approved);
    await says(page, "Payment complete");
    expect(adapter.charged).toEqual([id]);
  });

  test("two tabs and a button pressed twice make one charge", async () => {
    const { adapter, id, address } = await payableOver({ decides: approved });
    const answer = adapter.hold();
    const page = await newWindow({ javaScriptEnabled });
    const other = await page.context().newPage();
    for (const each of [page, other]) {
      await each.goto(address);
      await fillIn(each, visa);
    }
    const pressed = page.getByRole("button", { name: "Pay €49.99" }).dblclick();
    await expect.poll(() => adapter.charged).toEqual([id]);
    await press(other, "Pay €49.99");
    await says(other, "Processing your payment");
    answer();
    await pressed;
    await Promise.all([says(page, "Payment complete"), says(other, "Payment complete")]);
    expect(adapter.charged).toEqual([id]);
  });

  test("a charge that is approved after the customer canceled is refunded", async () => {
    const { adapter, id, address, now, endClaim } = await payableOver({ decides: approved });
    const answer = adapter.hold();
    const page = await newWindow({ javaScriptEnabled });
    const other = await page.context().newPage();
    await page.goto(address);
    await fillIn(page, visa);
    const pressed = press(page, "Pay €49.99");
    await expect.poll(() => adapter.books.get(id)).toEqual(approved);
    endClaim();
    await other.goto(address);
    await says(other, "The bank has not answered yet");
    expect(javaScriptEnabled ? await barriers(other) : []).toEqual([]);
    await press(other, "Cancel payment");
    await says(other, "Payment canceled");
    const status = await other.getByRole("status").textContent();
    expect(status).toContain("If it charges you after all, you get the money back");
    await expect.poll(() => adapter.books.get(id)).toEqual({ outcome: "canceled" });
    answer();
    await pressed;
    await says(page, "Payment canceled");
    expect(await now()).toMatchObject({ status: "failed", decline_code: "customer_canceled" });
    expect(adapter.books.get(id)).toEqual({ outcome: "canceled" });
    expect(adapter.charged).toEqual([id]);
  });
});

test("a waiting page does not move the focus, and continues after a failed request", async () => {
  const { adapter, id, address, endClaim } = await payableOver({ decides: processing });
  const page = await newWindow();
  await page.goto(address);
  await fillIn(page, visa);
  await press(page, "Pay €49.99");
  await says(page, "Processing your payment");
  endClaim();
  await says(page, "The bank has not answered yet");
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

/** A live payment with a page, on a service that is attached to an adapter. */
async function payableOver(network: { decides: object }) {
  const adapter = await startAdapter(network);
  const home = createTemporaryFolder();
  const { key } = await createKey(home, "live");
  const variables = { PAYMENTS_NETWORK_SECRET: "secret" };
  const { url } = await startServingWith(variables, home, "--network", adapter.url);
  const client = new PaymentsClient({ baseUrl: url, apiKey: key });
  onTestFinished(async () => client.close());
  const { payments } = client;
  const { id, redirect_url } = await payments.createHosted({ amount: 4999, currency: "eur" });
  return {
    adapter,
    id,
    address: redirect_url ?? "",
    now: async () => payments.retrieve(id),
    /** Ends the time for which the page waits for the network. */
    endClaim: () => {
      const file = join(home, ".local/share/payments/payments.db");
      const database = new DatabaseSync(file, { timeout: 10_000 });
      database.exec("UPDATE hosted_pages SET claimed_until_ms = 0");
      database.close();
    },
  };
}

/** An adapter with one decision for every charge, whose responses can be delayed. */
async function startAdapter({ decides }: { decides: object }) {
  const books = new Map<string, object>();
  const charged: string[] = [];
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
    books.set(charge.id, decides);
    await mayAnswer;
    return [200, decides];
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The decision about each charge. */
    books,
    /** The payments of its charge requests. */
    charged,
    /** Delays every response until the returned function is called. */
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      mayAnswer = promise;
      return resolve;
    },
  };
}
