import { describe, expect, test } from "vitest";
import { parsePaymentFilters } from "../../../src/cli/commands/list.ts";
import { someKeys } from "../../testkit/temporary.ts";

type Flags = Parameters<typeof parsePaymentFilters>[0];

/** Flags as oclif parses them: those that are not given are undefined. */
const parse = async (flags: Partial<Flags>) => parsePaymentFilters(flags as Flags);

describe("the filters of a list", () => {
  test("are the parameters of the given flags, and nothing else", async () => {
    expect(await parse({})).toEqual({});
    const all: Partial<Flags> = {
      email: "Ada@example.com",
      last4: "4242",
      brand: "visa",
      amount: "4999",
      currency: "EUR",
      "decline-code": "expired_card",
      metadata: ["order=1001", "note=", "equation=a=b"],
      search: "ada 49,99",
    };
    expect(await parse(all)).toEqual({
      "customer[email]": "Ada@example.com",
      "card[last4]": "4242",
      "card[brand]": "visa",
      amount: 4999,
      currency: "eur",
      decline_code: "expired_card",
      "metadata[order]": "1001",
      "metadata[note]": "",
      "metadata[equation]": "a=b",
      search: "ada 49,99",
    });
  });

  const card = "4242424242424242";
  test.each<[flag: string, Partial<Flags>]>([
    ["--email", { email: "ada" }],
    ["--email", { email: "" }],
    ["--email", { email: `${card}@example.com` }],
    ["--email", { email: `ada@${someKeys.test}.example` }],
    ["--last4", { last4: "242" }],
    ["--last4", { last4: card }],
    ["--amount", { amount: "0" }],
    ["--amount", { amount: "04999" }],
    ["--amount", { amount: card }],
    ["--currency", { currency: "chf" }],
    ["--currency", { currency: card }],
    ["--metadata", { metadata: ["order"] }],
    ["--metadata", { metadata: [card] }],
    ["--metadata", { metadata: [`${card}=1`] }],
    ["--metadata", { metadata: [`order=${card}`] }],
    ["--metadata", { metadata: [`order=${someKeys.live}`] }],
    ["--metadata", { metadata: [`${"k".repeat(41)}=1`] }],
    ["--metadata", { metadata: ["a=1", "b=2", "c=3", "d=4"] }],
    ["--search", { search: "--" }],
    ["--search", { search: "1 2 3 4 5 6 7 8 9" }],
    ["--search", { search: "a".repeat(201) }],
    ["--search", { search: "ada 4242 4242 4242 4242" }],
    ["--search", { search: `ada ${someKeys.test}` }],
  ])("refuse a wrong %s, which is not repeated: %j", async (flag, flags) => {
    const beginning = `^${flag} must (?!.*(?:4242|svc_))`;
    await expect(parse(flags)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(beginning) as string,
    });
  });

  test("refuse a key of metadata that is given twice", async () => {
    await expect(parse({ metadata: ["a=1", "a=2"] })).rejects.toMatchObject({
      exitCode: 2,
      message: "--metadata names the same key twice.",
    });
  });

  test("say how an amount with a fraction is written", async () => {
    await expect(parse({ amount: "49.99" })).rejects.toMatchObject({
      exitCode: 2,
      hint: "For 49.99: --amount 4999",
    });
  });
});
