import { expect, test } from "vitest";
import { isLoopback } from "../../src/client/loopback.ts";

const hostname = (address: string) => new URL(address).hostname;

test.each([
  "http://127.0.0.1",
  "http://127.255.255.254:8402",
  "http://127.1",
  "http://0x7f.0.0.1",
  "http://[::1]",
  "http://[0:0:0:0:0:0:0:1]:8402",
  "http://localhost",
  "http://LocalHost.",
  "http://a.b.localhost",
])("%s is this machine", (address) => {
  expect(isLoopback(hostname(address))).toBe(true);
});

test.each([
  "http://127.0.0.1.evil.example",
  "http://localhost.evil",
  "http://mylocalhost",
  "http://0.0.0.0",
  "http://[::]",
  "http://[::ffff:127.0.0.1]",
  "http://[::2]",
  "http://126.0.0.1",
  "http://1.127.0.0",
  "http://user@example.com",
  "http://payments.example/127.0.0.1",
])("%s is not", (address) => {
  expect(isLoopback(hostname(address))).toBe(false);
});
