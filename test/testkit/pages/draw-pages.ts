import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Frame, Page } from "playwright-core";
import { assets } from "../../../src/service/web/dashboard/frame.ts";
import { startBrowser } from "./browser.ts";
import { nowMs } from "./example-shop.ts";

export type Picture = {
  /** Without its ending. */
  file: string;
  document: string;
  width: number;
  colorScheme: "light" | "dark";
  scale?: number;
  /** Acts in the page before it is drawn. */
  prepare?: ((page: Page) => Promise<void>) | undefined;
};

/** Safe, as a dashboard is: a browser lets no other page copy. */
const origin = "https://pages.test";

/** Opens a document without a server: at any address of its site, with the dashboard's style and script. */
export async function openDocument(page: Page, document: string, address = origin): Promise<void> {
  await page.unrouteAll();
  await page.route(`${origin}/**`, async (route) => {
    const path = new URL(route.request().url()).pathname;
    const asset = assets.find(({ name }) => path.endsWith(`/assets/${name}`));
    const frame = path === framePath ? frameDocument : undefined;
    const { type, content } = asset ?? {
      type: "text/html; charset=utf-8",
      content: frame ?? document,
    };
    await route.fulfill({ contentType: type, body: content });
  });
  await page.goto(address);
}

const framePath = "/frame";
const frameDocument = `<!doctype html><title>Frame</title>
<iframe src="${origin}/dashboard" style="border: 0; height: 740px"></iframe>`;

/** Opens a document in a frame, whose width changes sooner than the window's. */
export async function openInFrame(page: Page, document: string): Promise<Frame> {
  await openDocument(page, document, `${origin}${framePath}`);
  return page.frames().at(-1)!;
}

/** Draws pages into a folder, one window after the other, at the time of their data. */
export async function drawPages(folder: string, pictures: readonly Picture[]): Promise<void> {
  const browser = await startBrowser();
  for (const { file, document, width, colorScheme, scale = 1, prepare } of pictures) {
    const viewport = { width, height: width < 600 ? 740 : 900 };
    const look = { viewport, colorScheme, deviceScaleFactor: scale, timezoneId: "UTC" };
    const page = await browser.newPage({ ...look, reducedMotion: "reduce" });
    await page.clock.setFixedTime(nowMs);
    await openDocument(page, document);
    await prepare?.(page);
    const path = `${folder}/${file}.png`;
    await mkdir(dirname(path), { recursive: true });
    await page.screenshot({ path, fullPage: true, caret: "hide" });
    await page.close();
  }
  await browser.close();
}
