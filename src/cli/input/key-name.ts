import { isKept, isWithin } from "../../contract/text.ts";
import { usageError } from "../endings/exit-codes.ts";

/** Refuses a key's name by which nobody would know it in a list. */
export function checkedKeyName(name: string): string {
  if (name.trim() === "") throw usageError("--name is empty.", "For example --name ci");
  if (isKept(name) && isWithin(name, 1, 200) && !/\p{Cc}/u.test(name)) return name;
  throw usageError("--name must be 1 to 200 characters, without control characters.");
}
