import { onTestFinished } from "vitest";
import { PaymentsClient } from "../../../src/client/client.ts";
import type { Mode } from "../../../src/contract/key.ts";
import { scriptedServer, text } from "../client/scripted-server.ts";
import {
  createKey,
  createTemporaryFolder,
  startServingWith,
} from "../command/installed-command.ts";
import { secret, startWatchedAdapter } from "../network/example-adapter.ts";
import { hostedPayment } from "./in-browser.ts";

/** A payment with a page, on the built service, which is attached to the documented adapter. */
export async function openPaymentOverAdapter(mode: Mode) {
  const adapter = await startWatchedAdapter();
  const shop = await scriptedServer(text(200, "Thanks!", { "content-type": "text/html" }));
  const home = createTemporaryFolder();
  const { key } = await createKey(home, mode);
  const variables = { PAYMENTS_NETWORK_SECRET: secret };
  const { url, log } = await startServingWith(variables, home, "--network", adapter.url);
  const client = new PaymentsClient({ baseUrl: url, apiKey: key });
  onTestFinished(async () => client.close());
  const return_url = `${shop.url}/thanks?order=7`;
  const payment = await hostedPayment({ client: () => client }, { return_url });
  const bankPath = `/bank/${payment.id}`;
  return {
    ...payment,
    adapter,
    /** The address of the bank's page for this payment. */
    bank: adapter.url + bankPath,
    /** Where each customer comes from, as far as the bank learns it. */
    referrers: () => adapter.requests("GET", bankPath).map(({ headers }) => headers.referer),
    shop: shop.url,
    log,
  };
}
