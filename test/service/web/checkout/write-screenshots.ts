// Writes the screenshots of the payment page to docs/payment-page/*.png: npm run screenshots
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { startBrowser } from "../../../testkit/pages/browser.ts";
import { servePage } from "../../../testkit/pages/page-server.ts";
import { everyView } from "../../../testkit/pages/page-views.ts";

const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 1.5 };
const desktop = { viewport: { width: 1280, height: 800 } };
type Picture = [file: string, state: string, size: typeof phone | typeof desktop];
const pictures: Picture[] = [
  ["open-phone-light", "open in test mode", phone],
  ["open-phone-dark", "open in test mode", phone],
  ["open-desktop-light", "open in test mode", desktop],
  ["open-desktop-dark", "open in test mode", desktop],
  ["mistakes-phone-light", "open for a merchant", phone],
  ["mistakes-desktop-dark", "open for a merchant", desktop],
  ["paid-desktop-light", "paid to a merchant", desktop],
  ["paid-phone-dark", "paid to a merchant", phone],
  ["declined-phone-light", "declined for a merchant", phone],
  ["expired-phone-light", "expired", phone],
  ["busy-phone-light", "open while the bank is busy", phone],
  ["overdue-phone-dark", "overdue", phone],
];

const folder = fileURLToPath(new URL("../../../../docs/payment-page", import.meta.url));
await mkdir(folder, { recursive: true });
const [browser, server] = await Promise.all([startBrowser(), servePage()]);
for (const [file, state, size] of pictures) {
  const colorScheme = file.endsWith("dark") ? "dark" : "light";
  const page = await browser.newPage({ ...size, colorScheme, reducedMotion: "reduce" });
  server.show(everyView[state]!);
  await page.goto(server.url);
  if (file.startsWith("mistakes")) await makeMistakes(page);
  await page.screenshot({ path: `${folder}/${file}.png`, fullPage: true, caret: "hide" });
  await page.close();
}
await browser.close();
server.close();

async function makeMistakes(page: Page): Promise<void> {
  const typed = { number: "4242424242424241", expiry: "13 / 30", cvc: "12", name: "Ada Lovelace" };
  for (const [name, value] of Object.entries(typed)) await page.fill(`#${name}`, value);
  await page.press("#name", "Enter");
}
