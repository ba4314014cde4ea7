import { Chalk } from "chalk";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { formatEndpoints, formatEndpoint } from "../../../src/cli/output/endpoint-text.ts";
import { endpointWith } from "../../testkit/webhook-objects.ts";
import { atNoon, noon } from "../../testkit/command/at-noon.ts";

const plain = new Chalk({ level: 0 });
const hostile = "\u001B[2J\u202Eevil";
const { id } = endpointWith();

atNoon();

describe("one endpoint", () => {
  test("shows what there is, and nothing that there is not", () => {
    expect(formatEndpoint(endpointWith(), plain)).toBe(
      [
        `Endpoint  ${id}`,
        "URL       https://shop.example/hooks",
        "Events    all",
        "Status    enabled",
        "Mode      test",
        "Created   2026-11-15 12:00:00",
      ].join("\n"),
    );
  });

  test("shows its secret where it has one, and why it is disabled", () => {
    const endpoint = endpointWith({
      events: ["payment.failed", "payment.refunded"],
      description: "Orders",
      status: "disabled",
      disabled_reason: "gone",
      secret: "whsec_c2VjcmV0",
      livemode: true,
    });
    expect(formatEndpoint(endpoint, plain)).toBe(
      [
        `Endpoint     ${id}`,
        "URL          https://shop.example/hooks",
        "Events       payment.failed, payment.refunded",
        "Description  Orders",
        "Secret       whsec_c2VjcmV0",
        "Status       disabled (gone)",
        "Mode         live",
        "Created      2026-11-15 12:00:00",
      ].join("\n"),
    );
  });

  test("shows the fields asked for", () => {
    expect(formatEndpoint(endpointWith(), plain, ["id", "events", "created", "url"])).toBe(
      `id       ${id}\nevents   ["*"]\ncreated  2026-11-15 12:00:00\nurl      https://shop.example/hooks`,
    );
  });

  test("lets nothing that a service sends steer the terminal", () => {
    const endpoint = endpointWith({
      url: hostile,
      events: [hostile],
      description: hostile,
      disabled_reason: hostile,
      secret: hostile,
    });
    const text = formatEndpoint(endpoint, plain) + formatEndpoints([endpoint], { style: plain });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202E]/u);
  });
});

describe("a table of endpoints", () => {
  const endpoints = [
    endpointWith({ url: null, created: noon - 100 }),
    endpointWith({
      status: "disabled",
      disabled_reason: "failing",
      events: ["payment.failed", "payment.refunded"],
      description: "Orders",
    }),
  ];

  test("calls that of payments listen by its name, and is whole in a pipe", () => {
    expect(formatEndpoints(endpoints, { style: plain })).toBe(
      [
        `ID${" ".repeat(39)}URL                         STATUS              EVENTS                            CREATED              DESCRIPTION`,
        `${id}  listen                      enabled             all                               2026-11-15 11:58:20`,
        `${id}  https://shop.example/hooks  disabled (failing)  payment.failed, payment.refunded  2026-11-15 12:00:00  Orders`,
      ].join("\n"),
    );
  });

  test.each([
    [80, "https://shop.example/ho…  disabled (fa…"],
    [100, "https://shop.example/ho…  disabled (fai…  payment.failed, …"],
    [120, "https://shop.example/ho…  disabled (f…  payment.failed, …  0s ago   Orders"],
  ])("has one line each in a terminal of %d columns", (width, last) => {
    const lines = formatEndpoints(endpoints, { style: plain, width }).split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[2]).toBe(`${id}  ${last}`);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });
});
