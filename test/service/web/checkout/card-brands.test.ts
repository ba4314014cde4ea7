import { expect, test } from "vitest";
import { findBrand, type CardBrand } from "../../../../src/contract/card.ts";
import { brandPatterns } from "../../../../src/service/web/checkout/card-brands.ts";

test("the page names the brand that the service decides", () => {
  const disagreements = Array.from({ length: 10_000 }, (_, index) => String(index).padStart(4, "0"))
    .map((prefix) => ({ prefix, page: findPageBrand(prefix), service: findBrand(prefix) }))
    .filter(({ page, service }) => page !== service);
  expect(disagreements).toEqual([]);
});

function findPageBrand(digits: string): CardBrand {
  return brandPatterns.find(([pattern]) => pattern.test(digits))?.[1] ?? "unknown";
}
