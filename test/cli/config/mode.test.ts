import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../../src/cli/config/resolve-settings.ts";
import { newHome } from "../../testkit/command/temporary-home.ts";

describe("the mode", () => {
  test.each(["prod", "TEST", "live ", ""])("may not be %j", async (mode) => {
    const env = { PAYMENTS_HOME: newHome() };
    const wrong = expect.objectContaining({
      ending: "usage",
      message: "The mode must be test or live.",
    }) as Error;
    await expect(resolveSettings({ mode }, env)).rejects.toThrow(wrong);
    await expect(resolveSettings({}, { ...env, PAYMENTS_MODE: mode })).rejects.toThrow(wrong);
  });
});
