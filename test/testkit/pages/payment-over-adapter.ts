import { scriptedServer, text } from "../client/scripted-server.ts";
import { runningService } from "../client/running-service.ts";
import { secret, startWatchedAdapter } from "../network/example-adapter.ts";
import { hostedPayment } from "./in-browser.ts";

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
