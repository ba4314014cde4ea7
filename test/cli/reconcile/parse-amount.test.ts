import { describe, expect, test } from "vitest";
import {
  createAmountFormFinder,
  parseMark,
  readAmount,
  toMinor,
} from "../../../src/cli/reconcile/parse-amount.ts";

type Known = Parameters<typeof createAmountFormFinder>[0];

/** The amounts of a file in minor units, or its mistake. */
function parseAll(texts: string[], known: Known = {}, currency = "eur"): number[] | string {
  try {
    const finder = createAmountFormFinder(known, undefined);
    const written = texts.map(readAmount);
    for (const [at, each] of written.entries()) {
      if (!finder.isDone()) finder.see(each, { currency, line: at + 2, column: "Sum" });
    }
    const form = finder.find();
    return written.map((each) => toMinor(each, currency, form));
  } catch (error) {
    return (error as Error).message;
  }
}

const parse = (text: string, currency?: string) => parseAll([text], { unit: "major" }, currency);

describe("an amount is read", () => {
  test.each([
    ["1234.50", 123_450],
    ["1.234,50", 123_450],
    ["1,234.50", 123_450],
    ["1,234,567.89", 123_456_789],
    ["1 234,50", 123_450],
    ["1\u00a0234,50", 123_450],
    ["1\u202f234,50", 123_450],
    ["1\u2009234.5", 123_450],
    ["1'234.50", 123_450],
    ["1’234,50", 123_450],
    ["1.234", 123_400],
    ["1,234", 123_400],
    ["1.234.567", 123_456_700],
    ["0.500", 50],
    ["1234.500", 123_450],
    ["49.9900", 4999],
    ["12", 1200],
  ])("with its groups and decimals: %s", (text, minor) => {
    expect(parse(text)).toEqual([minor]);
  });

  test.each([
    ["-12.50", -1250],
    ["\u221212.50", -1250],
    ["12.50-", -1250],
    ["12,50\u2212", -1250],
    ["+12.50", 1250],
    ["12.50+", 1250],
    ["(12.50)", -1250],
    ["- 12.50", -1250],
  ])("with its sign: %s", (text, minor) => {
    expect(parse(text)).toEqual([minor]);
  });

  test.each([
    ["€12.50", 1250],
    ["12,50 €", 1250],
    ["12,50\u00a0€", 1250],
    ["EUR 12.50", 1250],
    ["12.50eur", 1250],
    ["-€1,234.50", -123_450],
    ["€-12.50", -1250],
    ["(€12.50)", -1250],
    ["€(12.50)", -1250],
    ["12,50- €", -1250],
    ["12,50 €-", -1250],
  ])("with its currency: %s", (text, minor) => {
    const { mark } = readAmount(text);
    expect(parseMark(mark)).toBe("eur");
    expect(parse(text)).toEqual([minor]);
  });

  test.each([
    ["100.00", "jpy", 100],
    ["1.234", "jpy", 1234],
    ["1,234.567", "kwd", 1_234_567],
  ])("with as many decimals as its currency has: %s %s", (text, currency, minor) => {
    expect(parse(text, currency)).toEqual([minor]);
  });

  test.each([
    "",
    " ",
    "12.50.",
    ".50",
    "1.23,4,5",
    "1,23,456.00",
    "1 23",
    "1'234 567",
    "1.234.56",
    "12..50",
    "1e3",
    "NaN",
    "01.11.2026",
    "10:30",
    "-12.50-",
    "+-12.50",
    "(-12.50)",
    "(12.50",
    "12.50)",
    "€12.50 EUR",
    "Order 12.50",
    "12.50%",
    "1/2",
    "12|50",
  ])("not where it is none: %j", (text) => {
    expect(parse(text)).toMatch(/^is (?:empty|no amount such as)/);
  });

  test("not with decimals that its currency lacks, but for zeros", () => {
    expect(parseAll(["1.50", "1.230"])).toEqual([150, 123]);
    expect(parseAll(["1.50", "1.234"])).toBe("has more decimals than EUR, which has 2");
    expect(parse("1.5", "jpy")).toBe("has more decimals than JPY, which has 0");
  });

  test("not where it is larger than an amount of the API", () => {
    expect(parse("90,071,992,547,409.91")).toEqual([Number.MAX_SAFE_INTEGER]);
    expect(parse("90,071,992,547,409.92")).toBe("is too large for an amount");
  });
});

describe("the decimal separator is one throughout a file", () => {
  test.each<[texts: string[], minor: number[]]>([
    [
      ["2.500", "1.230", "49.99"],
      [250, 123, 4999],
    ],
    [
      ["2.500", "1.230", "49,99"],
      [250_000, 123_000, 4999],
    ],
    [
      ["2,500", "1.234.567"],
      [250, 123_456_700],
    ],
    [
      ["2.500", "7.001", "0,10"],
      [250_000, 700_100, 10],
    ],
    [
      ["50", "2.5"],
      [5000, 250],
    ],
    [
      ["1'000", "0.99"],
      [100_000, 99],
    ],
  ])("found from what can be read in one way only: %j", (texts, minor) => {
    expect(parseAll(texts)).toEqual(minor);
  });

  test.each([
    [["1.234,50", "2.50"], "is no amount with a decimal comma, as in line 2"],
    [["2.500", "1,234.50", "1,5"], "is no amount with a decimal point, as in line 3"],
  ])("and no amount has the other one: %j", (texts, mistake) => {
    expect(parseAll(texts)).toBe(mistake);
  });

  test.each<[texts: string[], readings: string, comma: number[], point: number[]]>([
    [["2.500", "1.230"], "2.500, which may be 2,500.00 or 2.50", [250_000, 123_000], [250, 123]],
    [["50", "1,500"], "1,500, which may be 1,500.00 or 1.50", [5000, 150], [5000, 150_000]],
    [
      ["-12.500", "7"],
      "-12.500, which may be -12,500.00 or -12.50",
      [-1_250_000, 700],
      [-1250, 700],
    ],
  ])("and never guessed, but asked for: %j", (texts, readings, comma, point) => {
    expect(parseAll(texts)).toBe(`has ${readings}, and no amount of the file says which`);
    expect(parseAll(texts, { decimal: "comma" })).toEqual(comma);
    expect(parseAll(texts, { decimal: "point" })).toEqual(point);
  });

  test("and not another than the user says", () => {
    expect(parseAll(["1.234,50"], { decimal: "point" })).toBe(
      "is no amount with a decimal point, as --decimal says",
    );
  });
});

describe("the unit", () => {
  test("is major where an amount has decimals", () => {
    expect(parseAll(["50", "49.99"])).toEqual([5000, 4999]);
  });

  test("is never guessed where none has", () => {
    const mistake = "has no amount with decimals, so 4999 may be 4999.00 or 49.99";
    expect(parseAll(["4999", "50"])).toBe(mistake);
    expect(parseAll(["1.234", "1.235"])).toBe(mistake);
    expect(parseAll(["4999"], { unit: "minor" })).toEqual([4999]);
    expect(parseAll(["4999"], { unit: "major" })).toEqual([499_900]);
  });

  test("minor has groups, and no decimals", () => {
    expect(parseAll(["4.999", "4,999", "4 999"], { unit: "minor" })).toEqual([4999, 4999, 4999]);
    expect(parseAll(["49.99"], { unit: "minor" })).toBe(
      "has decimals, but amounts in minor units have none",
    );
  });
});
