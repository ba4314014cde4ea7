// A program in CommonJS: it imports the package's ES modules, or requires them as Node can by now.
const { PaymentsClient, PaymentsError } = require("payments-cli/client");

void main();

async function main() {
  const imported = await import("payments-cli/client");
  const { startService } = await import("payments-cli/service");
  const { url, keys, close } = await startService();
  const client = new imported.PaymentsClient({ baseUrl: url, apiKey: keys.test });
  const missing = await client.payments.retrieve("pay_x").catch((error) => error);
  await client.close();
  await close();
  console.log(imported.PaymentsClient === PaymentsClient, missing instanceof PaymentsError);
}
