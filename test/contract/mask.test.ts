import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLuhnValid } from "../../src/contract/card.ts";
import { mask } from "../../src/contract/mask.ts";

const key = "svc_test_sk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg";
const uuid = "01999999-1234-7123-8123-123456789012";

describe("masking", () => {
  test("removes the secret of an API key, even of a mistyped one", () => {
    expect(mask(`the key ${key} is`)).toBe("the key svc_test_sk_… is");
    expect(mask("svc_live_sk_short-and_wrong")).toBe("svc_live_sk_…");
    expect(mask(key.toUpperCase())).toBe("SVC_TEST_SK_…");
    expect(mask(`{"key":"sk_live_0123456789"}`)).toBe(`{"key":"sk_live_…"}`);
  });

  test("removes a webhook's signing secret", () => {
    expect(mask(`{"secret":"whsec_AbC+/0123456789w=="}`)).toBe(`{"secret":"whsec_…"}`);
  });

  test.each([
    "4242424242424242",
    "4242 4242 4242 4242",
    "4242-4242-4242-4242",
    "4242.4242.4242.4242",
    "4242.4242-4242 4242.",
    "card4242424242424242",
    "metadata[face4242424242424242]",
    "-4242424242424242",
    "--4242 4242 4242 4242",
    "4242424242424242abc",
    "4242-4242-4242-4242-",
    "4242_4242_4242_4242",
    "42424242 42424242",
    "v.4242 - 4242 - 4242 - 4242",
    "4242\n4242\n4242\n4242",
  ])("leaves no digits of the card number in %s", (value) => {
    expect(mask(value)).not.toMatch(/\d/);
  });

  test.each([
    `pay_${uuid}`,
    `There is no payment pay_${uuid} in test mode.`,
    uuid.toUpperCase(),
    "4999",
    "1767225600",
    "from 1767225600 to 1767312000",
    "ends in 4242",
    "connect ECONNREFUSED 192.168.100.200:8402.",
    "192.168.100.200.",
    "task_live_0123456789",
    "52.520008, 13.404954",
    "52.5200081234567,13.4049541234567",
    "DE89 3704 0044 0532 0130 00",
    "EAN 4012345678901, 4012345678918",
    "+49 151 2345 6783",
    "1767225600000123",
    "order 501234567890",
  ])("leaves %s as it is", (value) => {
    expect(mask(value)).toBe(value);
  });

  test("removes a card number from any surroundings", () => {
    const surroundings = fc.stringMatching(/^[^0-9]*$/);
    const number = fc
      .stringMatching(/^4[0-9]{14}$/)
      .map((start) => start + [..."0123456789"].find((digit) => isLuhnValid(start + digit)));
    fc.assert(
      fc.property(surroundings, number, surroundings, (before, digits, after) => {
        expect(mask(before + digits + after)).not.toContain(digits.slice(0, 6));
      }),
    );
  });
});
