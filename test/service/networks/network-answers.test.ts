import { describe, expect, test } from "vitest";
import type { ChargeOutcome } from "../../../src/service/networks/card-network.ts";
import { challengeUrl, maskOutcome } from "../../../src/service/networks/network-answers.ts";

const padUrl = (start: string, length: number) => start.padEnd(length, "x");

describe("the address of a bank's page", () => {
  test.each([
    "https://bank.example/challenge/1?of=2#3",
    "http://127.0.0.1:8500/bank/1",
    "http://[::1]/",
    "http://localhost:1/",
    padUrl("https://bank.example/", 2_048),
  ])("may be %s", (usable) => {
    expect(challengeUrl.parse(usable)).toBe(usable);
  });

  test("is passed on as browsers write it", () => {
    const written = "https://hooks.example.com/3d%20secure?id=5555555555554444";
    expect(challengeUrl.parse("https://HOOKS.example.com/3d secure?id=5555555555554444")).toBe(
      written,
    );
  });

  test.each([
    ["empty", ""],
    ["relative", "/bank/1"],
    ["without a scheme", "bank.example/1"],
    ["http, beyond this machine", "http://bank.example/1"],
    ["http, to a name that begins like this machine's", "http://127.0.0.1.bank.example/"],
    ["of another scheme", "javascript:alert(1)"],
    ["of an app", "bank-app://challenge"],
    ["data", "data:text/html,Hello"],
    ["with a user name", "https://ada@bank.example/"],
    ["with a password", "https://:s3cret@bank.example/"],
    ["longer than 2,048 characters", padUrl("https://bank.example/", 2_049)],
    ["longer than that as it is sent", `https://bank.example/${"../".repeat(700)}`],
    ["longer than that as browsers write it", padUrl("https://bank.example/ü", 2_045)],
  ])("leads nowhere where it is %s", (_, unusable) => {
    expect(challengeUrl.parse(unusable)).toBeNull();
  });

  test.each([undefined, null, 1, { href: "https://bank.example/" }])("is not %j", (value) => {
    expect(challengeUrl.safeParse(value).success).toBe(false);
  });
});

const sendTo = (url: string): ChargeOutcome => ({
  outcome: "action",
  reference: "ch_1",
  url,
  retryAfterMs: 1_000,
});

describe("a customer is sent to no address with the charged card's number in it,", () => {
  const number = "4000002760003184";

  test.each([
    ["as it is", "https://bank.example/4000002760003184"],
    ["in groups", "https://bank.example/?card=4000-0027-6000-3184"],
    ["in groups between encoded spaces", "https://bank.example/?card=4000 0027  6000 - 3184"],
    ["in halves", "https://bank.example/?card=40000027%2060003184"],
    ["in segments", "https://bank.example/4000/0027/6000/3184"],
    ["behind a version", "https://bank.example/v1.4000 0027 6000 3184"],
    ["encoded", "https://bank.example/?card=%34%30%30%30002760003184"],
    ["encoded twice", "https://bank.example/?card=4000%25200027%25206000%25203184"],
  ])("%s", (_, url) => {
    const withheld = { ...sendTo(url), url: null, isMasked: true };
    // In the request that charges it, later by its last digits, and where nothing is known of it.
    for (const card of [{ number }, { last4: "3184" }, {}])
      expect(maskOutcome(sendTo(url), card)).toEqual(withheld);
  });

  test("but digits of the bank's own may look like a card number", () => {
    const own = sendTo("https://bank.example/4012888888881881");
    expect(maskOutcome(own, { number })).toBe(own);
    expect(maskOutcome(own, { last4: "3184" })).toBe(own);
  });
});

describe("a card number that a network sends is masked, and reported", () => {
  test.each([
    ["charge-4242424242424242", "charge-…"],
    ["4242424242424242", "…"],
    ["ch/4242-4242-4242-4242/1", "ch/…/1"],
    ["paid with 4242 4242 4242 4242", "paid with …"],
    ["4242\u00a04242\u00a04242\u00a04242", "…"],
    ["\uff14\uff12".repeat(8), "…"],
    ["ch_42424242 - 42424242", "ch_…"],
    ["v1.4242/4242/4242/4242", "v1.…"],
  ])("in a reference: %j", (reference, left) => {
    const outcome = { outcome: "approved", reference } as const;
    expect(maskOutcome(outcome)).toEqual({ ...outcome, reference: left, isMasked: true });
  });

  test.each(["9999999999999995", "4222222222222", "a4242424242424242b"])(
    "in any form, where it is the charge's own: %s",
    (reference) => {
      const number = reference.replaceAll(/\D/g, "");
      const masked = maskOutcome({ outcome: "approved", reference }, { number });
      expect(masked).toMatchObject({ outcome: "approved", isMasked: true });
      expect(JSON.stringify(masked)).not.toContain(number);
    },
  );

  test.each(["612345678901", "24692166123100012345678", "9999999999999995", "pi_0123456789abcdef"])(
    "but not %s, which is none",
    (reference) => {
      const outcome = { outcome: "approved", reference } as const;
      expect(maskOutcome(outcome, { number: "4242424242424242" })).toBe(outcome);
    },
  );
});
