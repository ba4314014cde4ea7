import { Chalk } from "chalk";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { formatDeliveries } from "../../../src/cli/output/delivery-text.ts";
import { deliveryWith } from "../../testkit/webhook-objects.ts";
import { atNoon, noon } from "../../testkit/command/at-noon.ts";

const plain = new Chalk({ level: 0 });
const { id, event } = deliveryWith();

atNoon();

describe("a table of deliveries", () => {
  const deliveries = [
    deliveryWith({ created: noon - 5, attempts: 0, last_status: null, last_error: null }),
    deliveryWith({ next_attempt_at: noon + 300 }),
    deliveryWith({
      status: "delivered",
      next_attempt_at: null,
      last_status: 204,
      last_error: null,
    }),
    deliveryWith({
      status: "failed",
      attempts: 10,
      next_attempt_at: null,
      last_status: null,
      last_error: "the connection was refused",
    }),
  ];

  test("tells of each what came of it and when it is tried again, whole in a pipe", () => {
    expect(formatDeliveries(deliveries, { style: plain })).toBe(
      [
        `EVENT${" ".repeat(37)}STATUS     ATTEMPTS  LAST                        NEXT                 CREATED              TYPE               ID`,
        `${event}  pending           0                              2026-11-15 12:05:00  2026-11-15 11:59:55  payment.succeeded  ${id}`,
        `${event}  pending           1  the endpoint answered 500   2026-11-15 12:05:00  2026-11-15 12:00:00  payment.succeeded  ${id}`,
        `${event}  delivered         1  204                                              2026-11-15 12:00:00  payment.succeeded  ${id}`,
        `${event}  failed           10  the connection was refused                       2026-11-15 12:00:00  payment.succeeded  ${id}`,
      ].join("\n"),
    );
  });

  test.each([
    [80, "pending           1  500         in 5m"],
    [100, "pending           1  500                    in 5m  0s ago"],
    [120, "pending           1  500                     in 5m  0s ago   payment.succeeded"],
  ])("has one line each in a terminal of %d columns", (width, second) => {
    const lines = formatDeliveries(deliveries, { style: plain, width }).split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[2]).toBe(`${event}  ${second}`);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  test.each([
    [noon - 1, "now"],
    [noon, "now"],
    [noon + 59, "in 59s"],
    [noon + 3_599, "in 59m"],
    [noon + 86_399, "in 23h"],
    [noon + 86_400, "2026-11-16"],
  ])("says of %d when it comes: %s", (next_attempt_at, next) => {
    const table = formatDeliveries([deliveryWith({ next_attempt_at })], {
      style: plain,
      width: 120,
    });
    expect(table.split("\n")[1]).toContain(`500   ${next}  `);
  });

  test("has the fields asked for", () => {
    const fields = ["event", "attempts", "next_attempt_at"];
    expect(formatDeliveries([deliveryWith()], { style: plain, fields })).toBe(
      `EVENT${" ".repeat(37)}ATTEMPTS  NEXT_ATTEMPT_AT\n${event}         1  2026-11-15 12:05:00`,
    );
  });

  test("lets nothing that a service sends steer the terminal", () => {
    const delivery = deliveryWith({ last_error: "\u001B[2J\u202Eevil" });
    const table = formatDeliveries([delivery], { style: plain }).replaceAll("\n", "");
    expect(table).not.toMatch(/[\p{Cc}\u202E]/u);
  });
});
