import { toCsvHeader, toCsvLine } from "../../runtime/records.ts";
import { toSafeJson } from "../../runtime/text.ts";

export const formats = ["table", "json", "ndjson", "csv"] as const;
export type Format = (typeof formats)[number];

/** A command's result: the API's object, the records in it, and the text for a person. */
export type Renderable = {
  value: object;
  records: readonly object[];
  /** The fields that a line of CSV has. */
  columns: readonly string[];
  text: () => string | Promise<string>;
};

/** Renders a command's result in a format, without the last line break. */
export function render(
  { value, records, columns, text }: Renderable,
  format: Format,
  options: { indented: boolean },
): string | Promise<string> {
  switch (format) {
    case "json":
      return toSafeJson(value, options);
    case "ndjson":
      return records.map((record) => toSafeJson(record, { indented: false })).join("\n");
    case "csv":
      return [toCsvHeader(columns), ...records.map((record) => toCsvLine(record, columns))].join(
        "\n",
      );
    default:
      return text();
  }
}
