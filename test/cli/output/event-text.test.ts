import { Chalk } from "chalk";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { formatEvents, formatEvent } from "../../../src/cli/output/event-text.ts";
import { paymentWith } from "../../testkit/client/scripted-server.ts";
import { eventWith } from "../../testkit/event-with.ts";
import { atNoon, noon } from "../../testkit/command/at-noon.ts";

const plain = new Chalk({ level: 0 });
const coloured = new Chalk({ level: 1 });
const hostile = "\u001B[2J\u202Eevil";
const { id } = eventWith();
const payment = paymentWith();
const failed = eventWith({
  type: "payment.failed",
  sequence: 2,
  created: noon - 100,
  data: { object: paymentWith({ status: "failed", decline_code: "expired_card" }) },
});

atNoon();

describe("one event", () => {
  test("says what happened, and shows the payment as it was then", () => {
    expect(formatEvent(failed, plain)).toBe(
      [
        `Event      ${id}`,
        "Type       payment.failed",
        "Sequence   2",
        "Happened   2026-11-15 11:58:20",
        `Payment    ${payment.id}`,
        "Status     failed",
        "Amount     49.99 EUR",
        "Mode       test",
        "Declined   expired_card",
        "Card       visa •••• 4242, expires 12/2031, US",
        "Created    2026-11-15 12:00:00",
        "Succeeded  2026-11-15 12:00:00",
      ].join("\n"),
    );
  });

  test("shows the fields asked for as those of a payment are shown", () => {
    const fields = ["type", "created", "data.object.amount", "data.object.created"];
    expect(formatEvent(failed, plain, fields)).toBe(
      [
        "type                 payment.failed",
        "created              2026-11-15 11:58:20",
        "data.object.amount   49.99 EUR",
        "data.object.created  2026-11-15 12:00:00",
      ].join("\n"),
    );
  });

  test("lets nothing that a service sends steer the terminal", () => {
    const steering = eventWith({ data: { object: paymentWith({ description: hostile }) } });
    expect(formatEvent(steering, plain).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202E]/u);
  });
});

describe("a table of events", () => {
  const events = [failed, eventWith({ created: noon - 90_000 })];

  test("is whole in a pipe", () => {
    expect(formatEvents(events, { style: plain })).toBe(
      [
        `ID${" ".repeat(40)}TYPE                  AMOUNT  CREATED              PAYMENT`,
        `${id}  payment.failed     49.99 EUR  2026-11-15 11:58:20  ${payment.id}`,
        `${id}  payment.succeeded  49.99 EUR  2026-11-14 11:00:00  ${payment.id}`,
      ].join("\n"),
    );
  });

  test.each([
    [80, "payment.succee…  49.99 EUR  2026-11-14"],
    [100, "payment.succeeded  49.99 EUR  2026-11-14"],
    [120, "payment.succeeded  49.99 EUR  2026-11-14  pay_0199c5a8-7f3e-7abc-9def-0123456…"],
    [124, `payment.succeeded  49.99 EUR  2026-11-14  ${payment.id}`],
  ])("has one line each in a terminal of %d columns", (width, last) => {
    const lines = formatEvents(events, { style: plain, width }).split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[2]).toBe(`${id}  ${last}`);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  test.each([80, 120])("tells a type by its status's colour at %d columns", (width) => {
    const [, red, green] = formatEvents(events, { style: coloured, width }).split("\n");
    expect(red).toContain("\u001B[31mpayment.failed\u001B[39m");
    expect(green).toContain("\u001B[32mpayment.succee");
  });

  test("has the fields asked for, ids whole", () => {
    const fields = ["data.object.amount", "id", "data.object.metadata"];
    expect(formatEvents([failed], { style: plain, width: 60, fields })).toBe(
      [
        "DATA.OBJECT.AMOUNT  ID",
        "  DATA.OBJECT.METADATA",
        `         49.99 EUR  ${id}`,
        "  {}",
      ].join("\n"),
    );
  });
});
