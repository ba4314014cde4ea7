// Writes docs/payment-page/*.png as the browser shows the page: npm run screenshots
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { startBrowser } from "../../../testkit/pages/browser.ts";
import { servePage } from "../../../testkit/pages/page-server.ts";
import { everyView } from "../../../testkit/pages/page-views.ts";

const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 1.5 };
const desktop = { viewport: { width: 1280, height: 800 } };
const pictures = [
  { file: "open-phone-light", state: "open in test mode", size: phone, colorScheme: "light" },
  { file: "open-phone-dark", state: "open in test mode", size: phone, colorScheme: "dark" },
  { file: "open-desktop-light", state: "open in test mode", size: desktop, colorScheme: "light" },
  { file: "open-desktop-dark", state: "open in test mode", size: desktop, colorScheme: "dark" },
  { file: "mistakes-phone-light", state: "open for a merchant", size: phone, colorScheme: "light" },
  {
    file: "mistakes-desktop-dark",
    state: "open for a merchant",
    size: desktop,
    colorScheme: "dark",
  },
  { file: "paid-desktop-light", state: "paid to a merchant", size: desktop, colorScheme: "light" },
  { file: "paid-phone-dark", state: "paid to a merchant", size: phone, colorScheme: "dark" },
  {
    file: "declined-phone-light",
    state: "declined for a merchant",
    size: phone,
    colorScheme: "light",
  },
  { file: "expired-phone-light", state: "expired", size: phone, colorScheme: "light" },
  {
    file: "busy-phone-light",
    state: "open while the bank is busy",
    size: phone,
    colorScheme: "light",
  },
  { file: "overdue-phone-dark", state: "overdue", size: phone, colorScheme: "dark" },
] as const;

const folder = fileURLToPath(new URL("../../../../docs/payment-page", import.meta.url));
await mkdir(folder, { recursive: true });
const [browser, server] = await Promise.all([startBrowser(), servePage()]);
for (const { file, state, size, colorScheme } of pictures) {
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
