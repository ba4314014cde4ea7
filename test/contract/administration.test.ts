import { describe, expect, test } from "vitest";
import { apiKeyPattern, keyPrefix, parseKeyMode } from "../../src/contract/administration.ts";

const secret = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg";

describe("an API key", () => {
  test.each([
    ["test", `svc_test_sk_${secret}`],
    ["live", `svc_live_sk_${secret}`],
  ] as const)("of %s mode says so in its prefix", (mode, key) => {
    expect(apiKeyPattern.test(key)).toBe(true);
    expect(parseKeyMode(key)).toBe(mode);
    expect(key.startsWith(keyPrefix(mode))).toBe(true);
  });

  test.each([
    "",
    secret,
    "svc_test_sk_",
    `svc_test_sk_${secret.slice(1)}`,
    `svc_test_sk_${secret}x`,
    `svc_test_sk_${secret.slice(1)}_`,
    `svc_test_sk_${secret.slice(1)}é`,
    `SVC_TEST_SK_${secret}`,
    `svc_prod_sk_${secret}`,
    `svc_test_pk_${secret}`,
    ` svc_test_sk_${secret}`,
    `svc_test_sk_${secret}\n`,
  ])("may not be %j", (key) => {
    expect(apiKeyPattern.test(key)).toBe(false);
  });

  test.each(["", "svc_prod_sk_1", "sk_test_1", "test"])("%j has no mode", (key) => {
    expect(parseKeyMode(key)).toBeUndefined();
  });
});
