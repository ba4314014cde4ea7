import { describe, expect, test } from "vitest";
import { maxLeaseSeconds } from "../../../src/contract/field-values.ts";
import { parseListenFlags } from "../../../src/cli/listen/listen-flags.ts";

const nowMs = 1_794_744_000_000;
const none = { "only-new": false, name: "default" };
const of = (flags: Partial<Parameters<typeof parseListenFlags>[0]>) =>
  parseListenFlags({ ...none, ...flags }, nowMs);

describe("the events of listen", () => {
  test("are all, from the last stop on, by default", () => {
    expect(of({})).toEqual({
      events: ["*"],
      from: {},
      forward: undefined,
      until: undefined,
      name: "default",
    });
  });

  test.each([
    [
      ["payment.refunded", "payment.failed", "payment.failed"],
      ["payment.failed", "payment.refunded"],
    ],
    [["payment.failed", "*"], ["*"]],
  ])("are the events %j, as the API has them", (events, expected) => {
    expect(of({ events }).events).toEqual(expected);
  });

  test("start at a time, or are only new ones", () => {
    expect(of({ since: "1h" }).from).toEqual({ since: nowMs / 1000 - 3600 });
    expect(of({ "only-new": true }).from).toEqual({ only_new: true });
  });

  test.each(["payment.faild", "payment", ""])("do not include %j", (type) => {
    expect(() => of({ events: [type] })).toThrow(
      /^--events must be payment\.pending, .+, or '\*' for all/,
    );
  });
});

const routesOf = (flags: Parameters<typeof of>[0]) =>
  Object.fromEntries(
    [...(of(flags).forward?.routes ?? [])].map(([type, { href }]) => [type, href]),
  );

describe("the address to forward to", () => {
  test("may be on any machine", () => {
    const url = "http://10.0.0.1:3000/hooks?x=1";
    expect(routesOf({ "forward-to": url })).toEqual({ "*": url });
  });

  test.each(["localhost:3000", "3000", "ftp://x/", "http://user:hunter2@127.0.0.1/", ""])(
    "may not be %j, and the error does not repeat it",
    (url) => {
      expect(() => of({ "forward-to": url })).toThrow(/^--forward-to must be an http or https/);
      expect(() => of({ "forward-to": url })).not.toThrow(/hunter2/);
    },
  );
});

describe("routes", () => {
  const base = "http://127.0.0.1:3000/base/?x=1";

  test("lead to addresses, and to paths that are joined to that of --forward-to", () => {
    const route = [
      "payment.failed=https://other.test/hooks?a=b",
      "payment.refunded=/x",
      "*=/y?z=2",
    ];
    expect(routesOf({ "forward-to": base, route })).toEqual({
      "payment.failed": "https://other.test/hooks?a=b",
      "payment.refunded": "http://127.0.0.1:3000/base/x?x=1",
      "*": "http://127.0.0.1:3000/base/y?z=2",
    });
  });

  test("to addresses need no --forward-to, and leave out what has none", () => {
    const route = ["payment.failed=http://localhost:3000/failed"];
    expect(routesOf({ route })).toEqual({ "payment.failed": "http://localhost:3000/failed" });
  });

  test.each([
    [["payment.lost=/x"], {}, /^--route must be payment\.pending, .+ or '\*', then = and/],
    [["/x"], {}, /^--route must be/],
    [["payment.failed=x"], {}, /^--route must be an http or https address .+ below --forward-to/],
    [["payment.failed=http://user:hunter2@127.0.0.1/"], {}, /^--route must be an http/],
    [["*=/x", "*=/y"], {}, /^--route \* can be given only once/],
    [["*=/x"], { "forward-to": undefined }, /^--route to a path needs --forward-to/],
    [
      ["payment.failed=/x"],
      { events: ["payment.pending"] },
      /^--route payment\.failed is for events that --events leaves out/,
    ],
  ])("%j with %j are refused, and not repeated", (route, flags, message) => {
    const parse = () => of({ "forward-to": base, route, ...flags });
    expect(parse).toThrow(message);
    expect(parse).not.toThrow(/hunter2/);
  });
});

const to = (flags: Parameters<typeof of>[0]) =>
  of({ "forward-to": "http://127.0.0.1:1", ...flags }).forward;

describe("forwarding", () => {
  test("has 15 s for a response, within the default lease", () => {
    expect(to({})).toMatchObject({ timeoutMs: 15_000, headers: {}, leaseSeconds: undefined });
  });

  test("of longer requests leases each delivery for longer than the request may take", () => {
    expect(to({ "forward-timeout": "10m" })).toMatchObject({
      timeoutMs: 600_000,
      leaseSeconds: 645,
    });
    expect(to({ "forward-timeout": "12h" })?.leaseSeconds).toBeLessThan(maxLeaseSeconds);
  });

  test.each(["0s", "13h", "long"])("for %s at most is refused", (timeout) => {
    expect(() => to({ "forward-timeout": timeout })).toThrow(/^--forward-timeout must be/);
  });

  test("sends headers, also several of a name", () => {
    const header = ["Authorization: Bearer a:b", "x-shop:1", "X-Shop:  2 ", "X-Empty:"];
    expect(to({ header })?.headers).toEqual({
      authorization: ["Bearer a:b"],
      "x-shop": ["1", "2"],
      "x-empty": [""],
    });
  });

  test.each(["x", ": x", "a b: x", "x: é", "x: a\nb", "x: hunter2\u0000"])(
    "refuses the header %j, and does not repeat it",
    (header) => {
      expect(() => to({ header: [header] })).toThrow(/^--header must be a name, a colon and/);
      expect(() => to({ header: [header] })).not.toThrow(/hunter2/);
    },
  );

  test.each(["Webhook-Id", "webhook-anything", "Content-Length", "HOST", "content-type"])(
    "refuses to replace %s",
    (name) => {
      expect(() => to({ header: [`${name}: x`] })).toThrow(/^--header cannot set /);
    },
  );
});

describe("the end of listening", () => {
  test("is an event, for which it waits a minute by default", () => {
    expect(of({ until: "payment.failed" }).until).toEqual({
      type: "payment.failed",
      timeout: "60s",
      timeoutMs: 60_000,
    });
  });

  test("cannot be an event that --events leaves out", () => {
    expect(() => of({ until: "payment.failed", events: ["payment.pending"] })).toThrow(
      "--until payment.failed would wait for an event that --events leaves out.",
    );
  });
});
