import { describe, expect, test } from "vitest";
import { storeMode } from "../../src/config/profile.ts";
import { resolveSettings } from "../../src/config/settings.ts";
import type { Mode } from "../../src/contract/key.ts";
import { newHome, someKeys } from "./temporary-home.ts";

type Given = Record<"flag" | "variable" | "stored" | "key", Mode | undefined>;

function modeFrom({ flag, variable, stored, key }: Given): Mode {
  const home = newHome();
  if (stored) storeMode({ config: home, data: home }, stored);
  const env = {
    PAYMENTS_HOME: home,
    PAYMENTS_MODE: variable,
    PAYMENTS_API_KEY: key && someKeys[key],
  };
  return resolveSettings({ mode: flag, "base-url": "embedded" }, env).mode;
}

const each = [undefined, "test", "live"] as const;
const all: Given[] = each.flatMap((flag) =>
  each.flatMap((variable) =>
    each.flatMap((stored) => each.map((key) => ({ flag, variable, stored, key }))),
  ),
);
const isContradicted = ({ flag, variable, key }: Given) =>
  key !== undefined && (flag ?? variable ?? key) !== key;

describe("the mode", () => {
  test.each(all.filter((given) => !isContradicted(given)))(
    "comes from flag $flag, variable $variable, key $key, stored $stored, in this order",
    (given) => {
      const { flag, variable, key, stored } = given;
      expect(modeFrom(given)).toBe(flag ?? variable ?? key ?? stored ?? "test");
    },
  );

  test.each(all.filter(isContradicted))(
    "from flag $flag, variable $variable and a $key key is a contradiction",
    (given) => {
      const asked = given.flag ?? given.variable;
      expect(() => modeFrom(given)).toThrow(
        expect.objectContaining({
          kind: "key",
          message: `The mode is ${asked}, but the key from PAYMENTS_API_KEY is a ${given.key} key. Nothing was sent.`,
        }),
      );
    },
  );

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
