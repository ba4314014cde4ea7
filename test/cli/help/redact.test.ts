import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactField, redactFlag, redactSecret } from "../../../src/cli/help/suggest.ts";
import { someKeys } from "../../testkit/temporary.ts";

describe("a value is repeated", () => {
  test.each(["lst", "failed", "suceeded", "prod"])("if it is a short word: %s", (value) => {
    expect(redactSecret(value)).toBe(value);
  });

  test.each([
    someKeys.live,
    someKeys.live.slice(12),
    someKeys.live.slice(0, 15),
    "sk_live_abcdefgh",
    "svc-live-sk-abcdefgh",
    "4242424242424242",
    "4242 4242 4242 4242",
    "4242.4242.4242.4242",
    "123",
    "postgres://payments:hunter@db/payments",
    "hunter@db",
    "abcdefghijklmnopqrstuvwxyz",
    "Hunter",
    "",
    "a\nb",
  ])("but not %j", (value) => {
    expect(redactSecret(value)).toBeUndefined();
  });

  test("never if it is long enough to reveal part of a key", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{13,60}$/), (part) => {
        expect(redactSecret(part)).toBeUndefined();
      }),
    );
  });
});

describe("a flag is named", () => {
  test.each([
    ["--josn", "--josn"],
    [`--api-key=${someKeys.live}`, "--api-key"],
    [`-k${someKeys.live}`, "-k"],
    [`-k=${someKeys.live}`, "-k"],
    ["--card=4242 4242 4242 4242", "--card"],
  ])("without its value: %s", (typed, name) => {
    expect(redactFlag(typed)).toBe(name);
  });

  test.each([
    `--${someKeys.live}`,
    "--svc-live-sk-abcdefgh",
    "--sk-live-abcdefgh",
    "--4242424242424242",
    "--4242-4242-4242-4242",
    "--postgres://payments:hunter@db",
    "--abcdefghijklmnopqrstuvwxyz",
    "---",
    "--",
  ])("but not where its name may be a secret: %s", (typed) => {
    expect(redactFlag(typed)).toBeUndefined();
  });
});

describe("a field is named", () => {
  test.each(["amonut", "succeded_at", "card.lats4", "metadta.order_id"])("as %s", (name) => {
    expect(redactField(name)).toBe(name);
  });

  test.each([
    someKeys.live,
    "sk_live_abcdefgh",
    "svc.live.sk.abcdefgh",
    "4242424242424242",
    "4242.4242.4242.4242",
    "hunter22",
    "Hunter",
    "postgres://payments:hunter@db",
    "a b",
    "",
  ])("but not %j", (name) => {
    expect(redactField(name)).toBeUndefined();
  });
});
