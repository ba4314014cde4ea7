// Writes docs/payment-page/*.png as the browser shows the page: npm run screenshots
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./browser.ts";
import { servePage } from "./page-server.ts";
import { everyView } from "./page-views.ts";

const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 1.5 };
const desktop = { viewport: { width: 1280, height: 800 } };
const pictures = [
  { file: "open-phone-light", state: "open in test mode", size: phone, colorScheme: "light" },
  { file: "open-phone-dark", state: "open in test mode", size: phone, colorScheme: "dark" },
  { file: "open-desktop-light", state: "open in test mode", size: desktop, colorScheme: "light" },
  { file: "open-desktop-dark", state: "open in test mode", size: desktop, colorScheme: "dark" },
  { file: "mistakes-phone-light", state: "open with mistakes", size: phone, colorScheme: "light" },
  {
    file: "mistakes-desktop-dark",
    state: "open with mistakes",
    size: desktop,
    colorScheme: "dark",
  },
  { file: "paid-desktop-light", state: "paid", size: desktop, colorScheme: "light" },
  { file: "paid-phone-dark", state: "paid", size: phone, colorScheme: "dark" },
  { file: "declined-phone-light", state: "declined", size: phone, colorScheme: "light" },
  {
    file: "busy-phone-light",
    state: "open while the bank is busy",
    size: phone,
    colorScheme: "light",
  },
  { file: "overdue-phone-dark", state: "overdue", size: phone, colorScheme: "dark" },
] as const;

const folder = fileURLToPath(new URL("../../../docs/payment-page", import.meta.url));
await mkdir(folder, { recursive: true });
const [browser, server] = await Promise.all([startBrowser(), servePage()]);
for (const { file, state, size, colorScheme } of pictures) {
  const page = await browser.newPage({ ...size, colorScheme, reducedMotion: "reduce" });
  server.show(everyView[state]!);
  await page.goto(server.url);
  await page.screenshot({ path: `${folder}/${file}.png`, fullPage: true, caret: "hide" });
  await page.close();
}
await browser.close();
server.close();
