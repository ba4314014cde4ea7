import { Unavailable } from "../../contract/failures.ts";

/** SQLite's primary result codes that are not a fault of this program. */
export const codes = {
  busy: 5,
  readonly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
} as const;

const reasons: Record<number, string> = {
  [codes.busy]: "another process has kept it locked for too long",
  [codes.readonly]: "it is read-only; check the permissions of the file and its folder",
  [codes.ioError]: "the disk reported an error",
  [codes.corrupt]: "the file is damaged; restore it from a backup",
  [codes.full]: "the disk is full; nothing was written",
  [codes.cantOpen]: "it cannot be opened; check that its folder exists and may be written",
  [codes.notADatabase]: "the file is not a SQLite database; name another one",
};

/** An error of SQLite as what it means to a use case; any other as it is. */
export function explained(error: unknown): unknown {
  const known = reasons[primaryCode(error) ?? 0];
  return known ? new Unavailable(`The database refuses: ${known}.`, { cause: error }) : error;
}

/** Why SQLite refuses, in words. */
export function reason(error: unknown): string {
  return (
    reasons[primaryCode(error) ?? 0] ?? (error instanceof Error ? error.message : String(error))
  );
}

export function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & 0xff;
}
