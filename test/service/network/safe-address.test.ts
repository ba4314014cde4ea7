import { expect, test } from "vitest";
import { isSafeForCards } from "../../../src/service/network/safe-address.ts";

test.each([
  ["https://api.stripe.com", true],
  ["http://127.0.0.1:8080", true],
  ["http://localhost", true],
  ["http://[::1]:80/below", true],
  ["http://api.stripe.com", false],
  ["http://127.0.0.1.example.com", false],
  ["http://10.0.0.1", false],
  ["ftp://127.0.0.1", false],
])("that cards may be sent to %s is %j", (url, safe) => {
  expect(isSafeForCards(url)).toBe(safe);
});
