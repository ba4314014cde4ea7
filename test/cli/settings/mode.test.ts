import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../../src/cli/settings/settings.ts";
import { newHome } from "./temporary-home.ts";

describe("the mode", () => {
  test.each(["prod", "TEST", "live "])("may not be %j", (mode) => {
    const env = { PAYMENTS_HOME: newHome() };
    const wrong = expect.objectContaining({
      kind: "usage",
      message: "The mode must be test or live.",
    }) as Error;
    expect(() => resolveSettings({ mode }, env)).toThrow(wrong);
    expect(() => resolveSettings({}, { ...env, PAYMENTS_MODE: mode })).toThrow(wrong);
  });

  test("is not set by an empty variable", () => {
    const env = { PAYMENTS_HOME: newHome(), PAYMENTS_MODE: "", PAYMENTS_API_KEY: "" };
    expect(resolveSettings({}, env).mode).toBe("test");
  });
});
