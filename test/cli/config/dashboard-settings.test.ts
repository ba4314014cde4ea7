import { describe, expect, test } from "vitest";
import { parseDashboardSettings } from "../../../src/cli/config/serve-settings.ts";

const name = (flag: string) => `--${flag}`;
const loopback = { host: "127.0.0.1", publicUrl: undefined };

describe("a dashboard", () => {
  test.each([
    ["127.0.0.1", undefined],
    ["::1", undefined],
    ["localhost", undefined],
    ["127.0.0.1", "http://localhost:8402"],
    ["127.0.0.1", "https://payments.example.com"],
    ["0.0.0.0", "https://payments.example.com"],
  ])("is shown on %s, reached at %s", (host, publicUrl) => {
    expect(parseDashboardSettings(true, undefined, { host, publicUrl }, name)).toBeDefined();
  });

  test.each([
    ["0.0.0.0", undefined],
    ["::", undefined],
    ["192.0.2.1", undefined],
    ["0.0.0.0", "http://127.0.0.1:8402"],
    ["127.0.0.1", "http://payments.example.com"],
  ])("is refused on %s, reached at %s: others could read along", (host, publicUrl) => {
    expect(() => parseDashboardSettings(true, undefined, { host, publicUrl }, name)).toThrow(
      "--dashboard needs an https --public-url",
    );
  });

  test("is served only with --dashboard", () => {
    expect(parseDashboardSettings(false, undefined, loopback, name)).toBeUndefined();
    expect(() => parseDashboardSettings(false, "10.0.0.0/8", loopback, name)).toThrow(
      "add --dashboard",
    );
  });

  test("trusts addresses and networks of both versions", () => {
    const trusted = "192.0.2.7, 10.0.0.0/8,2001:db8::/32";
    const proxies = parseDashboardSettings(true, trusted, loopback, name)?.trustedProxies;
    for (const each of ["192.0.2.7", "10.255.0.1"]) expect(proxies?.check(each)).toBe(true);
    expect(proxies?.check("2001:db8::1", "ipv6")).toBe(true);
    expect(proxies?.check("192.0.2.8")).toBe(false);
  });

  test.each(["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0", "proxy.example", "::/129"])(
    "refuses %s as a network",
    (network) => {
      expect(() => parseDashboardSettings(true, network, loopback, name)).toThrow(
        "--trusted-proxies must be addresses or networks",
      );
    },
  );
});
