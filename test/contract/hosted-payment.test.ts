import { describe, expect, test } from "vitest";
import { createHostedBody } from "../../src/contract/payment.ts";

const bodyWith = (fields: object) => ({ amount: 4999, currency: "eur", ...fields });

/** The invalid fields, each once; empty if the body is accepted. */
function faultsOf(body: unknown): string[] {
  const issues = createHostedBody.safeParse(body).error?.issues ?? [];
  const names = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys : issue.path.join("."),
  );
  return [...new Set(names)];
}

describe("the body of a hosted payment", () => {
  test("needs an amount and a currency", () => {
    expect(faultsOf({})).toEqual(["amount", "currency"]);
    expect(faultsOf(bodyWith({}))).toEqual([]);
  });

  test.each(["customer", "description", "metadata", "return_url", "expires_in"])(
    "takes null for %s as absent",
    (field) => {
      expect(faultsOf(bodyWith({ [field]: null }))).toEqual([]);
    },
  );

  test.each(["card", "redirect_url", "__proto__"])("has no field %s", (field) => {
    expect(faultsOf(bodyWith(JSON.parse(`{"${field}":{}}`)))).toEqual([field]);
  });

  test("has the limits of any payment", () => {
    const body = { amount: 0, currency: "chf", description: "x".repeat(501), metadata: [] };
    expect(faultsOf(body)).toEqual(["amount", "currency", "description", "metadata"]);
    expect(faultsOf(bodyWith({ customer: { email: "ada" } }))).toEqual(["customer.email"]);
  });
});

test.each([
  ...[300, 300.0, 7200, 2_592_000].map((seconds) => [seconds, []] as const),
  ...[299, 2_592_001, 300.5, 0, -1, "300", "2h", true, [300]].map(
    (seconds) => [seconds, ["expires_in"]] as const,
  ),
])("an expires_in of %j has the faults %j", (seconds, faults) => {
  expect(faultsOf(bodyWith({ expires_in: seconds }))).toEqual(faults);
});

describe("a return_url", () => {
  test.each([
    ["https://shop.example/thanks?order=7#top", "https://shop.example/thanks?order=7#top"],
    ["http://localhost:3000", "http://localhost:3000/"],
    ["HTTPS://Shop.Example/Thanks", "https://shop.example/Thanks"],
    ["https://[::1]:8080/a", "https://[::1]:8080/a"],
    ["https://münchen.example/ä?ü=ö", "https://xn--mnchen-3ya.example/%C3%A4?%C3%BC=%C3%B6"],
    ["https://shop.example/%0d%0aSet-Cookie:a=b", "https://shop.example/%0d%0aSet-Cookie:a=b"],
    ["https://shop.example/?to=user@host", "https://shop.example/?to=user@host"],
    ["https://shop.example/\u200b", "https://shop.example/%E2%80%8B"],
  ])("%j comes out in its normal form, which is ASCII", (sent, normal) => {
    const { return_url } = createHostedBody.parse(bodyWith({ return_url: sent }));
    expect(return_url).toBe(normal);
    expect(return_url).toMatch(/^[\x21-\x7e]+$/);
  });

  test.each([
    "",
    "shop.example/thanks",
    "/thanks",
    "//shop.example/thanks",
    "https:shop.example",
    "https:/shop.example",
    "https:///shop.example",
    "https://",
    "https://?a=b",
    "https:\\\\shop.example",
    "https://shop.example\\@evil.example",
    "javascript:alert(1)",
    "javascript://shop.example/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "ftp://shop.example/",
    "file:///etc/passwd",
    "https://user@shop.example/",
    "https://user:word@shop.example/",
    "https://@shop.example/",
    "https://shop.example:99999/",
    "https://shop example/",
    " https://shop.example/",
    "https://shop.example/\r\nSet-Cookie: a=b",
    "https://shop.example/\nrefresh",
    "https://shop.example/\t",
    "https://shop.example/a b",
    "https://shop.example/\u2028",
    "https://shop.example/\u0085",
    "https://shop.example/\0",
    "https://shop.example/\ud800",
    "java\nscript:alert(1)",
    `https://shop.example/${"x".repeat(1_980)}`,
    `https://shop.example/${"ü".repeat(1_000)}`,
    `https://shop.example/${"x/../".repeat(1_000)}`,
    "https://shop.example/thanks?card=4242424242424242",
    "https://shop.example/4242-4242-4242-4242/thanks",
    "https://shop.example/?card=4242%204242%204242%204242",
    "https://shop.example/?card=4242+4242+4242+4242",
    "https://shop.example/?card=%34242424242424242",
    "https://shop.example/?%E0%A4%A=4242%204242%204242%204242",
    7,
    ["https://shop.example/"],
  ])("may not be %j", (return_url) => {
    expect(faultsOf(bodyWith({ return_url }))).toEqual(["return_url"]);
  });

  test("may have 2,000 characters in its normal form", () => {
    const longest = `https://shop.example/${"x".repeat(1_979)}`;
    expect(longest).toHaveLength(2_000);
    expect(faultsOf(bodyWith({ return_url: longest }))).toEqual([]);
  });
});
