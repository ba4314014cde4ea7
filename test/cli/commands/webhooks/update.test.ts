import { describe, expect, test } from "vitest";
import { parseOverlapHours } from "../../../../src/cli/commands/webhooks/roll.ts";
import { parseEndpointRequest } from "../../../../src/cli/commands/webhooks/update.ts";
import { someKeys } from "../../../testkit/temporary.ts";

const url = "https://shop.example/hooks";

describe("a request about an endpoint", () => {
  test("has the values of the flags, and nothing else", () => {
    expect(parseEndpointRequest({})).toEqual({});
    expect(parseEndpointRequest({ url, description: "Orders" })).toEqual({
      url,
      description: "Orders",
    });
    expect(parseEndpointRequest({ description: "" })).toEqual({ description: null });
  });

  test.each([
    [["payment.failed"], ["payment.failed"]],
    [["payment.failed,payment.pending"], ["payment.pending", "payment.failed"]],
    [["payment.failed, payment.pending", "payment.refunded"], 3],
    [["*"], ["*"]],
  ])("takes the events %j", (events, expected) => {
    const named = parseEndpointRequest({ events }).events;
    expect(typeof expected === "number" ? named?.length : named).toEqual(expected);
  });

  test.each([
    ["--url", { url: "shop.example/hooks" }],
    ["--url", { url: "ftp://shop.example/hooks" }],
    ["--url", { url: `https://user:${someKeys.test}@shop.example/hooks` }],
    ["--url", { url: "" }],
    ["--events", { events: ["payment.faild"] }],
    ["--events", { events: ["payment.failed,"] }],
    ["--events", { events: [someKeys.test] }],
    ["--events", { events: [""] }],
    ["--description", { description: "x".repeat(501) }],
    ["--description", { description: "4242424242424242" }],
  ])("is refused for a wrong %s, which is not repeated: %j", (flag, flags) => {
    expect(() => parseEndpointRequest(flags)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringMatching(
          `^${flag} must (?!.*(?:4242|svc_)).*Nothing was sent\\.$`,
        ) as string,
      }),
    );
  });
});

describe("an overlap", () => {
  test.each([
    ["0h", 0],
    ["24h", 24],
    ["60m", 1],
    ["7d", 168],
    ["168h", 168],
  ])("of %s is %d hours", (text, hours) => {
    expect(parseOverlapHours(text)).toBe(hours);
  });

  test.each(["90m", "1.5h", "169h", "8d", "1s", "24", "-1h", ""])("may not be %j", (text) => {
    expect(() => parseOverlapHours(text)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringMatching(/^--overlap must be /) as string,
      }),
    );
  });
});
