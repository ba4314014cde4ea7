import { describe, expect, test } from "vitest";
import {
  parseTotals,
  planJson,
  resultJson,
  runJson,
  writeReason,
} from "../../../src/cli/refunds/refund-flags.ts";
import { getCommandActor } from "../../../src/cli/config/service-database.ts";
import { findReasonMistake } from "../../../src/contract/administration.ts";
import { refundPlan, refundResult, refundRun } from "../../../src/contract/refund-run.ts";
import { helpJson } from "../../testkit/command/help-json.ts";

const by = `by ${getCommandActor().name}`;
const roomFor = (added: string) => "x".repeat(500 - added.length);

describe("the reason in the activity log", () => {
  test("has the run and the system's user behind it, as far as there is room", () => {
    const all = ` (run r1, ${by})`;
    expect(writeReason(roomFor(all), "r1")).toBe(roomFor(all) + all);
    expect(writeReason(`${roomFor(all)}x`, "r1")).toBe(`${roomFor(all)}x (run r1)`);
    expect(writeReason(roomFor(""), "r1")).toBe(roomFor(""));
    expect(writeReason(undefined, "r1")).toBe(`run r1, ${by}`);
  });

  test("is judged alone", () => {
    expect(() => writeReason("x".repeat(501))).toThrow(/^--reason must be 1 to 500 characters/);
    expect(() => writeReason("")).toThrow("--reason is empty.");
  });

  test("does not blame --reason for a user whose name cannot be kept", ({ onTestFinished }) => {
    const { SUDO_USER: before } = process.env;
    onTestFinished(() => {
      if (before === undefined) delete process.env["SUDO_USER"];
      else process.env["SUDO_USER"] = before;
    });
    process.env["SUDO_USER"] = "4242424242424242";
    expect(findReasonMistake(`by ${getCommandActor().name}`)).toBeDefined();
    expect(writeReason(undefined, "r1")).toBe("run r1");
    expect(writeReason("Charged twice", "r1")).toBe("Charged twice (run r1)");
  });
});

describe("a total", () => {
  test("has the decimals of its currency", () => {
    expect(parseTotals(["5000.00EUR", "5000 jpy"], "--max-total")).toEqual([
      { amount: 500_000, currency: "eur" },
      { amount: 5_000, currency: "jpy" },
    ]);
  });

  test.each([
    ["5000EUR", "If it is not in minor units, write --max-total 5000.00EUR"],
    ["5000 kwd", "If it is not in minor units, write --max-total 5000.000kwd"],
    ["4242424242424242EUR", undefined],
    ["5000.5EUR", undefined],
    ["5000.00JPY", undefined],
    ["5000", undefined],
  ])("%s is refused: it could be another sum", (text, hint) => {
    const message = "--max-total must be an amount with its decimals and its currency: 1234.00EUR.";
    expect(() => parseTotals([text], "--max-total")).toThrow(
      expect.objectContaining({ exitCode: 2, message, hint }),
    );
  });
});

test("help --json names the fields of each line that a run prints, and the defaults of its flags", async () => {
  const [refund] = (await helpJson("refund")).commands;
  expect(refund?.variants).toMatchObject([
    { flag: "from", repeatable: "always", outputs: [resultJson, runJson] },
    { flag: "dry-run", writes: "nothing", outputs: [planJson] },
  ]);
  for (const [{ fields }, schema] of [
    [resultJson, refundResult],
    [runJson, refundRun],
    [planJson, refundPlan],
  ] as const) {
    expect(fields).toEqual(Object.keys(schema.shape));
  }
  const defaults = refund?.flags.map(({ name, default: value }) => [name, value]) ?? [];
  expect(Object.fromEntries(defaults)).toMatchObject({ concurrency: "4", "max-failures": "10" });
});
