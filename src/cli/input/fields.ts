import { paymentFields } from "../../contract/payment.ts";
import { usageError } from "../endings/exit-codes.ts";

/** The fields of a payment that `--fields` names, in its order. */
export function checkedFields(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const fields = [...new Set(text.split(",").map((field) => field.trim()))];
  if (fields.every(isField)) return fields;
  throw usageError(
    "--fields names a field that a payment does not have.",
    `There are ${[...known, ...paymentFields.filter((field) => field.includes("."))].join(", ")}, and metadata.KEY.`,
  );
}

const known = [...new Set(paymentFields.map((field) => field.split(".", 1)[0] ?? ""))];

function isField(field: string): boolean {
  return known.includes(field) || paymentFields.includes(field) || /^metadata\../s.test(field);
}
