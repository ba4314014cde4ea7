import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { runningService } from "../testkit/client/running-service.ts";
import { json, scriptedServer } from "../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import {
  customers,
  fillIn,
  hostedPayment,
  press,
  says,
  visa,
} from "../testkit/pages/in-browser.ts";

const { newWindow, takeErrors } = customers();
let outcome = "processing";
const adapter = await scriptedServer((...exchange) =>
  json(200, { outcome, reference: "ch_1", ask_again_in: 1 })(...exchange),
);
const databaseFile = join(createTemporaryHome(), "payments.db");
const service = runningService({
  database: `sqlite:${databaseFile}`,
  network: { url: adapter.url, secret: "secret" },
});

test("a waiting page does not move the focus, and continues after a failed request", async () => {
  const client = service.client({ apiKey: service.keys.live });
  const { address } = await hostedPayment({ client: () => client });
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
  outcome = "approved";
  await says(page, "Payment complete");
});

/** Ends the time for which each page waits for the network. */
function endClaims(): void {
  const database = new DatabaseSync(databaseFile, { timeout: 10_000 });
  database.exec("UPDATE hosted_pages SET claimed_until_ms = 0");
  database.close();
}
