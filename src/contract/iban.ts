/** How long the IBANs of each country are, by the registry of ISO 13616. */
const countriesByLength: Record<number, string> = {
  15: "NO",
  16: "BE",
  18: "DK|FI|FK|FO|GL|NL|SD",
  19: "MK|SI",
  20: "AT|BA|EE|KZ|LT|LU|MN|XK",
  21: "CH|HR|LI|LV",
  22: "BG|BH|CR|DE|GB|GE|IE|ME|RS|VA",
  23: "AE|GI|IL|IQ|OM|SO|TL",
  24: "AD|CZ|ES|MD|PK|RO|SA|SE|SK|TN|VG",
  25: "LY|PT|ST",
  26: "IS|TR",
  27: "BI|DJ|FR|GR|IT|MC|MR|SM",
  28: "AL|AZ|BY|CY|DO|GT|HN|HU|LB|NI|PL|SV",
  29: "BR|EG|PS|QA|UA",
  30: "JO|KW|MU|YE",
  31: "MT|SC",
  32: "LC",
  33: "RU",
};

/** An IBAN as it is typed: perhaps in groups, and in either case. */
const written = new RegExp(
  `(?=[A-Z]{2}\\d\\d)(?:${Object.entries(countriesByLength)
    .map(([length, countries]) => {
      const remaining = Number(length) - "DE00".length;
      return `(?:${countries})\\d\\d(?:[\\s\\p{Pd}]?[A-Z0-9]){${remaining}}`;
    })
    .join("|")})(?![A-Z0-9])`,
  "giu",
);

/** A text with `mark` in the place of every IBAN whose check digits are right. */
export function replaceIbans(text: string, mark: string): string {
  return text.replace(written, (found) => (hasValidCheckDigits(found) ? mark : found));
}

/** ISO 7064, MOD 97-10: the first four characters go last, and a letter counts as its number from 10 on. */
function hasValidCheckDigits(iban: string): boolean {
  const characters = iban.replaceAll(/[^A-Z0-9]/gi, "");
  let remainder = 0;
  for (const character of characters.slice(4) + characters.slice(0, 4)) {
    const value = parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
