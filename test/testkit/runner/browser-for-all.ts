import type { TestProject } from "vitest/node";
import { serveBrowser } from "../pages/browser.ts";

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
