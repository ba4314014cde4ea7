import { ReportMistake } from "./report-line.ts";

// The columns of a report, and what their cells may hold besides amounts and currencies.

const maxIdLength = 255;

/** Finds a column by its name. Errors: ReportMistake, where it is missing or there twice. */
export function findColumn(header: readonly string[], name: string) {
  const index = header.indexOf(name);
  if (index === -1) throw new ReportMistake("is missing", { column: name });
  if (header.includes(name, index + 1)) {
    throw new ReportMistake("is there twice", { column: name });
  }
  const get = (cells: readonly string[]) => cells[index] ?? "";
  return {
    get,
    /** Parses the cell; a mistake in it gets the column's name. */
    read: <T>(cells: readonly string[], parse: (text: string) => T): T => {
      try {
        return parse(get(cells));
      } catch (error) {
        if (!(error instanceof ReportMistake)) throw error;
        throw new ReportMistake(error.message, { column: name, hint: error.hint });
      }
    },
  };
}
export type FoundColumn = ReturnType<typeof findColumn>;

/** As `findColumn`; undefined where it is missing. */
export function findOptionalColumn(
  header: readonly string[],
  name: string,
): FoundColumn | undefined {
  return header.includes(name) ? findColumn(header, name) : undefined;
}

/** Errors: ReportMistake, where a text is empty, too long, or not of the pattern. */
export function checkId(text: string, pattern?: RegExp): string {
  if (text.trim() === "") throw new ReportMistake("is empty");
  if (text.length > maxIdLength) {
    throw new ReportMistake(`is longer than ${maxIdLength} characters`);
  }
  if (pattern?.test(text) ?? true) return text;
  throw new ReportMistake("is no payment's id, such as pay_0199…");
}

/** Errors: ReportMistake, where a row says another mode. A spreadsheet writes the words in capitals. */
export function assertSameMode(text: string, livemode: boolean): void {
  const word = text.toLowerCase();
  if (word === String(livemode)) return;
  const [found, compared] = livemode ? ["test", "live"] : ["live", "test"];
  if (word !== String(!livemode)) throw new ReportMistake("is neither true nor false");
  throw new ReportMistake(`says a ${found} payment, but ${compared} payments are compared`, {
    hint: `Use --mode ${found}, or a file of ${compared} payments.`,
  });
}

export function parseSeconds(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new ReportMistake("is no time in Unix seconds");
}

/** Parses a time as Stripe writes it, 2026-11-01 09:30:00, into Unix seconds. */
export function parseUtc(text: string): number {
  const [, date, time = "00:00:00"] =
    /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?Z?$/.exec(text) ?? [];
  const atMs = Date.parse(`${date}T${time}Z`);
  if (!Number.isNaN(atMs)) return Math.floor(atMs / 1000);
  throw new ReportMistake("is no time such as 2026-11-01 09:30:00");
}
