// A program that forgets to close what it has opened: a service with the settings of its argument, and a client that
// has made a payment. It prints what keeps it from ending: node forget-to-close.ts '{"sandbox":true,"unref":true}'
import { PaymentsClient } from "../../src/client/client.ts";
import { startService } from "../../src/service/server/start-service.ts";

const settings = JSON.parse(process.argv[2] ?? "{}") as object;
const { url, keys } = await startService(settings);
const client = new PaymentsClient({ baseUrl: url, apiKey: keys.test });
const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" };
const { status } = await client.payments.create({ amount: 4999, currency: "eur", card });
setImmediate(() => {
  const kept = process.getActiveResourcesInfo().filter((name) => /^(?:TCPS|Timeout)/.test(name));
  process.stdout.write(`${status} ${kept.join()}\n`);
});
