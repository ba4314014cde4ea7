import { isIP } from "node:net";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isForbiddenAddress } from "../../../src/service/webhooks/guarded-connector.ts";
import { forbiddenForms } from "./forbidden-forms.ts";

test.each(forbiddenForms)("%s is forbidden: %s", (_, form) => {
  const { hostname } = new URL(`http://${form}/`);
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  expect(isIP(address)).not.toBe(0);
  expect(isForbiddenAddress(address)).toBe(true);
});

test.each([
  "fe80::1%eth0",
  "2606:4700::1111%1",
  "::ffff:127.0.0.1",
  "0:0:0:0:0:ffff:7f00:1",
  "",
  "example.com",
  "127.1",
  "0x7f000001",
  "93.184.216.34:80",
  "[2606:4700::1111]",
])("text that is no address, or not one of a URL, is forbidden: %j", (address) => {
  expect(isForbiddenAddress(address)).toBe(true);
});

test.each([
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "168.63.129.15",
  "168.63.129.17",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2000::1",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2606:4700:4700::1111",
  "2a00:1450:4001:830::200e",
  "3fff:1000::1",
])("%s is allowed", (address) => {
  expect(isForbiddenAddress(address)).toBe(false);
});

test("IPv6 addresses that contain an IPv4 address are forbidden", () => {
  const part = fc.nat({ max: 0xffff }).map((value) => value.toString(16));
  fc.assert(
    fc.property(part, part, (high, low) => {
      for (const form of [
        `::ffff:${high}:${low}`,
        `::${high}:${low}`,
        `::ffff:0:${high}:${low}`,
        `64:ff9b::${high}:${low}`,
        `64:ff9b:1::${high}:${low}`,
        `2002:${high}:${low}::1`,
        `2001:0:${high}:${low}::1`,
      ])
        expect(isForbiddenAddress(form)).toBe(true);
    }),
  );
});
