import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findBrand, isLuhnValid } from "../../src/contract/card.ts";
import { containsCardNumber, maskCardNumbers } from "../../src/contract/card-in-text.ts";

// Every run draws the same values, so a failure repeats.
const seed = 20261123;
const count = 1_000;

const digits = (min: number, max = min) => fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));
const oneOf = fc.constantFrom;

/** Forms whose every `#` is a digit. */
const fillForms = (forms: fc.Arbitrary<string>) =>
  fc.tuple(forms, digits(20)).map(([form, drawn]) => {
    let used = 0;
    return form.replaceAll("#", () => drawn[used++] ?? "");
  });

const decimal = fc
  .tuple(oneOf("", "-"), fc.nat(99_999), digits(6, 19))
  .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}`);

const coordinate = fc
  .tuple(fc.nat(89), digits(4, 17), fc.nat(179), digits(4, 17), oneOf(", ", ",", " ", ";"))
  .map(([north, northFraction, east, eastFraction, gap]) =>
    [`${north}.${northFraction}`, `-${east}.${eastFraction}`].join(gap),
  );

/** The account part of IBANs: `0` is a digit, `A` a letter. */
const accountForms = {
  AT: "0000000000000000",
  BE: "000000000000",
  CH: "00000AAAAAAA00000",
  DE: "000000000000000000",
  DK: "00000000000000",
  ES: "00000000000000000000",
  FR: "000000000000000000000AA",
  GB: "AAAA00000000000000",
  IT: "A0000000000000000000000",
  MT: "AAAA00000000000000000000000",
  NL: "AAAA0000000000",
  NO: "00000000000",
  PL: "000000000000000000000000",
  SA: "00000000000000000000",
};

function checkDigitsOf(country: string, account: string): string {
  const rest = `${account}${country}00`.replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return String(98n - (BigInt(rest) % 97n)).padStart(2, "0");
}

const iban = fc
  .tuple(oneOf(...Object.entries(accountForms)), digits(30))
  .map(([[country, form], drawn]) => {
    const account = [...form]
      .map((kind, at) => (kind === "0" ? drawn[at] : String.fromCharCode(65 + Number(drawn[at]))))
      .join("");
    return country + checkDigitsOf(country, account) + account;
  });
const writtenIban = fc.tuple(iban, fc.nat(4)).map(([text, way]) => {
  const groups = (text.match(/.{1,4}/g) ?? []).join(" ");
  return [text, groups, groups.replaceAll(" ", "-"), text.toLowerCase(), `IBAN ${groups}, thanks`][
    way
  ];
});

const ean = fc.tuple(oneOf(7, 12), digits(12)).map(([length, drawn]) => {
  const start = drawn.slice(0, length);
  const sum = [...start]
    .toReversed()
    .reduce((all, digit, at) => all + Number(digit) * (at % 2 ? 1 : 3), 0);
  return start + ((10 - (sum % 10)) % 10);
});
const writtenEan = fc
  .tuple(ean, ean, oneOf("", "EAN ", "EAN"))
  .map(([one, other, word]) => `${word}${one}, ${other}`);

const longPhone = fc.tuple(
  oneOf("+1", "+44", "+49", "+52", "+62", "+81"),
  oneOf(
    "##########",
    "############",
    " ### ### ####",
    " ###-###-####",
    " ## #### ####",
    "-####-######",
    " #### #### ####",
  ),
);
/** Of countries whose codes some brands' cards begin with. */
const shortPhone = fc.tuple(
  oneOf("+30", "+34", "+36", "+370", "+373", "+385", "+39"),
  oneOf("########", "#########", "##########", " ### ### ###", " ## ### ## ##", "-###-######"),
);
const phone = fillForms(fc.oneof(longPhone, shortPhone).map((parts) => parts.join("")));
const nationalPhone = fillForms(
  oneOf(
    "0## #######",
    "0####/######",
    "(###) ###-####",
    "###-###-####",
    "#### ######",
    "00## ### #######",
    "#############",
  ),
);

const time = fc.integer({ min: 946_684_800_000, max: 2_051_222_400_000 });
const timestamp = fc.tuple(time, digits(6), fc.nat(6)).map(([ms, finer, way]) => {
  const iso = new Date(ms).toISOString();
  return [
    String(ms),
    `${ms}${finer.slice(0, 3)}`,
    `${ms}${finer}`,
    `${Math.floor(ms / 1000)}.${finer}`,
    iso.replace("Z", `${finer}Z`),
    iso.replaceAll(/\D/g, ""),
    iso.replaceAll(/[-:.]/g, ""),
  ][way];
});

const uuid = fc
  .tuple(fc.uuid(), oneOf("", "pay_", "order "))
  .chain(([id, before]) =>
    oneOf(id, id.toUpperCase(), id.replaceAll("-", "")).map((each) => before + each),
  );

const sample = (values: fc.Arbitrary<string | undefined>) =>
  fc.sample(values, { numRuns: count, seed }).map((value) => value ?? "4242424242424242");

describe("of a thousand ordinary values", () => {
  test.each([
    ["decimals", decimal],
    ["coordinates", coordinate],
    ["IBANs", writtenIban],
    ["EANs", writtenEan],
    ["phone numbers", phone],
    ["phone numbers without a country", nationalPhone],
    ["timestamps", timestamp],
    ["UUIDs", uuid],
    ["order numbers of 13 digits", digits(13)],
  ])("none of the %s is taken for a card number, nor masked", (_, values) => {
    const drawn = sample(values);
    expect(drawn.filter((value) => containsCardNumber(value))).toEqual([]);
    expect(drawn.map(maskCardNumbers)).toEqual(drawn);
  });

  test.each([14, 15])("at most one in a hundred order numbers of %i digits is", (length) => {
    const refused = sample(digits(length)).filter((value) => containsCardNumber(value));
    expect(refused.length).toBeLessThanOrEqual(count / 100);
  });
});

/** Each brand's prefixes, and the lengths of the numbers that it issues today. */
const issued = {
  visa: { prefixes: ["4"], lengths: [16] },
  mastercard: { prefixes: ["51", "55", "2221", "2720"], lengths: [16] },
  amex: { prefixes: ["34", "37"], lengths: [15] },
  discover: { prefixes: ["6011", "644", "649", "65"], lengths: [16] },
  diners: { prefixes: ["300", "305", "3095", "36", "38", "39"], lengths: [14, 16] },
  jcb: { prefixes: ["3528", "3589"], lengths: [16] },
  unionpay: { prefixes: ["62", "81"], lengths: [16, 17, 18, 19] },
  maestro: { prefixes: ["50", "56", "58", "6304", "6759", "6763"], lengths: [16, 17, 18, 19] },
};
const numbers = Object.entries(issued).flatMap(([brand, { prefixes, lengths }]) =>
  prefixes.flatMap((prefix) =>
    lengths.map((length) => ({ brand, number: numberOf(prefix, length), length })),
  ),
);

function numberOf(prefix: string, length: number): string {
  const start = prefix.padEnd(length - 1, "7315902648");
  return start + [..."0123456789"].find((digit) => isLuhnValid(start + digit));
}

/** The groups in which a card's number is printed. */
function split(number: string): string[] {
  const form = number.length < 16 ? /^(.{4})(.{6})(.+)$/ : /^(.{4})(.{4})(.{4})(.{4})(.*)$/;
  return (form.exec(number) ?? []).slice(1).filter(Boolean);
}

/** A number in the groups in which cards are printed, each with its separator. */
function print(number: string, gap: string): string {
  return split(number).join(gap);
}

const brandNumber = fc
  .tuple(oneOf(...numbers), digits(19))
  .map(([{ number, length }, drawn]) => {
    const prefix = number.slice(0, 4);
    const start = prefix + drawn.slice(0, length - 1 - prefix.length);
    return start + [..."0123456789"].find((digit) => isLuhnValid(start + digit));
  })
  .filter((number) => findBrand(number) !== "unknown");

/** The text between two groups: one to three characters that are neither letters nor digits, beside letters and commas. */
const separator = oneOf(..." \t\n-\u2013\u2212./_:;|·•()*#+~'\"=&…\u{1f4b3}");
const harmless = oneOf("", "", "", "x", "VISA", ",", "é", "\u200b");
const gap = fc
  .tuple(
    fc.array(separator, { minLength: 1, maxLength: 3 }),
    fc.array(harmless, { minLength: 4, maxLength: 4 }),
  )
  .map(([separators, others]) =>
    others.map((other, at) => other + (separators[at] ?? "")).join(""),
  );
const surroundings = oneOf("", "order 12: ", "v1.", "VISA", "(", "#", "\n", "é", "€ ", "a/");

/** Written in one piece, in halves, or as it is printed. */
const written = fc
  .tuple(brandNumber, fc.nat(2), fc.array(gap, { minLength: 4, maxLength: 4 }))
  .map(([number, way, gaps]) => {
    const halves = /^(.{8})(.{8})$/.exec(number)?.slice(1);
    const groups = way === 0 ? [number] : way === 1 && halves ? halves : split(number);
    return groups.map((group, at) => (at > 0 ? gaps[at - 1] : "") + group).join("");
  });

const invisible = {
  "a zero-width space": "\u200b",
  "a zero-width joiner": "\u200d",
  "a word joiner": "\u2060",
  "a byte order mark": "\ufeff",
  "a soft hyphen": "\u00ad",
  "a right-to-left mark": "\u200f",
  "a combining grapheme joiner": "\u034f",
  "a variation selector": "\ufe0f",
  "a Mongolian vowel separator": "\u180e",
  "a Hangul filler": "\u3164",
  "a tag": "\u{e0041}",
  "a control character": "\u0001",
  "a delete character": "\u007f",
  "an empty Braille pattern": "\u2800",
};

describe("a card number is found", () => {
  test("however it is written, and nothing is left of it in the masked text", () => {
    const texts = fc.tuple(surroundings, written, oneOf("", " EUR", ")", "x", ", thanks", "_"));
    fc.assert(
      fc.property(texts, ([before, number, after]) => {
        // Behind a decimal point a number in one piece is none.
        const text = (before === "v1." && /^\d+$/.test(number) ? "v1 " : before) + number + after;
        expect(containsCardNumber(text)).toBe(true);
        const masked = maskCardNumbers(text);
        expect(masked).toContain("…");
        expect(masked.replace("12", "").replace("1", "")).not.toMatch(/\d/);
      }),
      { numRuns: count, seed },
    );
  });

  test.each(numbers)(
    "in one piece or printed: $brand, $length digits, $number",
    ({ brand, number }) => {
      expect(findBrand(number)).toBe(brand);
      const forms = [
        number,
        print(number, " "),
        print(number, "-"),
        `VISA${number}`,
        `${number}x`,
        `é${number}é`,
        `card_${number}`,
        `,${number},`,
        `(${number})`,
        `no.${number}.`,
        `${number}.0`,
        `12 ${print(number, " ")} 1234`,
        print(number, ","),
        print(number, ", "),
        print(number, "x"),
        print(number, " x"),
        print(number, "\u00a0"),
        print(number, "\u2013"),
        print(number, " \u200b"),
        print(number, " - "),
        print(number, "  "),
        print(number, "\r\n"),
        print(number, "."),
        print(number, "/"),
        print(number, "_"),
        print(number, " and "),
        `v1.${print(number, " ")}`,
        `1.5.${print(number, "-")}`,
      ];
      expect(forms.filter((form) => !containsCardNumber(form))).toEqual([]);
    },
  );

  test.each(Object.entries(invisible))("with %s beside, between and within", (_, mark) => {
    const forms = numbers.flatMap(({ number }) =>
      [
        mark + number + mark,
        print(number, mark),
        print(number, ` ${mark}`),
        print(number, `${mark}-`),
        [...number].join(mark),
        [...print(number, " ")].join(mark),
      ].concat([...number].map((_digit, at) => number.slice(0, at) + mark + number.slice(at))),
    );
    expect(forms.filter((form) => !containsCardNumber(form))).toEqual([]);
  });

  test.each([
    "\uff14\uff12\uff14\uff12 4242 4242 4242",
    "4\ufe0f\u20e32\ufe0f\u20e342424242424242",
    "order 12 4242 4242 4242 4242 34",
    "4242 4242 4242 4242 4242",
    "4242 4242 4242 4242 123",
    "+4242424242424242",
    "+1 3782 822463 10005",
    "ref=+378282246310005",
    "Amex +3782 822463 10005",
    "Diners +30569309025904",
    "+1 30569309025904",
    "+1 3056 930902 5904",
    "4242\u22124242\u22124242\u22124242",
    "4242424242424242\u00b2",
    "\u0664\u0662\u0664\u0662 \u0664\u0662\u0664\u0662 \u0664\u0662\u0664\u0662 \u0664\u0662\u0664\u0662",
    "\u096a\u0968\u096a\u0968\u096a\u0968\u096a\u0968\u096a\u0968\u096a\u0968\u096a\u0968\u096a\u0968",
    "0,4242424242424242",
    ".4242424242424242",
    "1.5 4242424242424242",
    "a, 4242424242424242.50 EUR",
    "DE00 4242 4242 4242 4242 00",
    "IBAN DE89 3704 0044 0532 0130 00 and 4242 4242 4242 4242",
    "42424242-4242-4242-8242-424242424242 4242424242424242",
    "4242.4242.4242.4242",
    "42424242 42424242",
    "42424242-42424242",
    "42424242, 42424242",
    "4242  4242 - 4242\n4242",
    "+4242 4242 4242 / 4242",
    "4242\u2026 4242\u2026 4242\u2026 4242",
    "1.4242 4242 4242 4242",
    "4242424242424242.0",
    "4242%204242%204242%204242",
    "https://shop.example/caf%E9%204242%204242%204242%204242", // Latin-1
    "4242%E2%80%934242%E2%80%934242%E2%80%934242",
    "%34%32424242%2542424242424242 4242%25204242%25204242%25204242",
    "42424242+42424242",
  ])("in %j", (text) => {
    expect(containsCardNumber(text)).toBe(true);
  });
});

describe("no card number is found", () => {
  test.each([
    ["a wrong check digit", "4242424242424241"],
    ["no known brand", "9999999999999995"],
    ["a length that the brand does not have", "424242424242422"],
    ["13 digits", "4222222222222"],
    ["a Visa of 19 digits, which nobody issues", "4242424242424242424"],
    ["a part of a longer number", "42424242424242424242424242424242"],
    ["what stands behind a decimal point", "1.4242424242424242"],
    ["groups that are on no card", "424242 4242 424242"],
    ["groups of three", "4,242,424,242,424,242"],
    ["groups parted by more than three characters", "4242    4242    4242    4242"],
    ["two short EANs", "40123455, 40123455"],
    ["an IBAN in other groups", "DE95.4242.4242.4242.4242.42"],
    ["amounts in words", "4000 pcs, 2000 pcs, 3000 pcs, 5000 pcs"],
    ["ids with UUIDs", "pay_01a1ff0b-2fbd-75bc-b767-5ab4240a4a4f"],
    ["a UUID of digits alone", "42424242-4242-4242-8242-424242424242"],
    ["a hash", "4242424242424242abcdefabcdefabcdef4242424242424242abcdefabcdefab"],
    ["an IBAN", "DE95 4242 4242 4242 4242 42"],
    ["a phone number", "+49 151 2345 6783"],
    ["a phone number that begins as a card does", "+378 0549 882345"],
    ["dates and amounts", "2026-11-22 10.000,00 EUR, 1.2.3.4"],
    ["nothing at all", ""],
  ])("in %s", (_, text) => {
    expect(containsCardNumber(text)).toBe(false);
  });

  test("the time to search a text grows with its length, whatever is in it", () => {
    const parts = [
      "4",
      "4 ",
      "-4",
      "4\u00a0",
      "4242x",
      "4242 ",
      "42424242 ",
      "DE42",
      "+4",
      "4.",
      "a1",
    ];
    const hostile = [
      ...parts,
      "BE42 4242 4242 4242 ",
      "\uff14\uff12\uff14\uff12 ",
      "⅒",
      `4242${"x".repeat(99)}`,
    ];
    // A search whose time grew with the length's square would not end within the test's time.
    for (const part of hostile)
      expect(maskCardNumbers(part.repeat(100_000 / part.length))).toBeTypeOf("string");
  });
});

test.each([
  ["Paid by 4242 4242 4242 4242, thanks", "Paid by …, thanks"],
  ["4242424242424242 and 5555 5555 5555 4444", "… and …"],
  ["52.520008, 13.404954: 4242-4242-4242-4242", "52.520008, 13.404954: …"],
  ["4242 4242 4242 4242 4242", "…"],
  ["é٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢é", "é…é"],
  ["x\u200b4\u200b242424242424242\u200by", "x\u200b…\u200by"],
  ["4242 4242 4111 1111 1111 1111 4242 4242", "…"],
  ["nothing 1234", "nothing 1234"],
  ["https://shop.example/?a=50%25&card=4242%204242%204242%204242", "…"],
  [
    "https://shop.example/?order=%C3%BC-1001&at=52.520008%2C13.404954",
    "https://shop.example/?order=%C3%BC-1001&at=52.520008%2C13.404954",
  ],
])("the mask of a text of %j is %j", (text, masked) => {
  expect(maskCardNumbers(text)).toBe(masked);
});
