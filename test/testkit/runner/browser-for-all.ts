import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, type BrowserServer, type LaunchOptions, chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the one Chromium that all tests use, each with windows of its own. */
    browser: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const browser = await serveBrowser();
  project.provide("browser", browser.wsEndpoint());
  return async () => browser.close();
}

const unpackBrowser = fileURLToPath(new URL("./unpack-browser.ts", import.meta.url));
const modules = new URL("../../../node_modules/", import.meta.url);

/** A real Chromium without a window. The caller closes it. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch(await launchOptions());
}

/** The same, for other processes, which connect to its `wsEndpoint()`. */
export async function serveBrowser(): Promise<BrowserServer> {
  return await chromium.launchServer(await launchOptions());
}

/**
 * Leaves out the package's own flags for servers without a display: they disable features that are tested here, and are
 * slow.
 */
async function launchOptions(): Promise<LaunchOptions> {
  const folder = await unpack();
  return {
    executablePath: `${folder}/chromium`,
    // Without the limit each window, and each way from one site to another, starts a process of its own.
    args: ["--font-render-hinting=none", "--renderer-process-limit=1"],
    env: {
      ...process.env,
      // The font that comes with the browser, so that a page has the same width on every machine. It has Latin letters
      // and none of a fixed width: PAYMENTS_FONTS=system takes the machine's fonts, as a user's browser does.
      FONTCONFIG_FILE:
        process.env["PAYMENTS_FONTS"] === "system"
          ? "/etc/fonts/fonts.conf"
          : `${folder}/fonts.conf`,
      LD_LIBRARY_PATH: `${folder}/al2023/lib`,
    },
  };
}

/**
 * Returns the folder of the unpacked browser. The browser is unpacked elsewhere, and then renamed: test files run
 * at the same time, and none may start a browser that is still being written.
 */
async function unpack(): Promise<string> {
  const manifest = new URL("@sparticuz/chromium/package.json", modules);
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  const cache = fileURLToPath(new URL(".cache/", modules));
  const folder = `${cache}chromium-${version}`;
  if (existsSync(folder)) return folder;

  await mkdir(cache, { recursive: true });
  const unpacking = await mkdtemp(`${cache}unpacking-`);
  const fonts = `<dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir>`;
  try {
    await promisify(execFile)(process.execPath, [unpackBrowser], {
      env: { ...process.env, TMPDIR: unpacking },
    });
    await writeFile(`${unpacking}/fonts.conf`, `<fontconfig>${fonts}</fontconfig>`);
    await rename(unpacking, folder);
  } catch (error) {
    await rm(unpacking, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
