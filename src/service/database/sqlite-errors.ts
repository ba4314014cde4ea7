import { Unavailable } from "../../runtime/failures.ts";
import { diskFullCodes, describeFsError, getFsErrorCode } from "../../runtime/user-files.ts";

/** SQLite's primary result codes for faults outside this program. */
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
  [codes.busy]: "another process has locked it for too long",
  [codes.readonly]: "it is read-only; check the permissions of the file and its folder",
  [codes.ioError]: "the disk reported an error",
  [codes.corrupt]: "the file is damaged; restore it from a backup",
  [codes.full]: `${diskFullCodes.reason}; nothing was written`,
  [codes.cantOpen]:
    "it cannot be opened; check that its folder exists, and that this user may read and write both",
  [codes.notADatabase]: "the file is not a SQLite database; name another one",
};

/** The disk is too full for the -shm file; the primary code of this would be ioError. */
const shmFullCode = 10 | (19 << 8);

/** Turns an error of SQLite into `Unavailable`; any other error stays as it is. */
export function toUnavailable(error: unknown): unknown {
  const reason = reasons[primaryCode(error) ?? 0];
  return reason ? unavailableError(`The database refuses: ${reason}.`, error) : error;
}

/** The error of a database file that cannot be opened. */
export function unusableFileError(file: string, error: unknown): Unavailable {
  return unavailableError(
    `The database ${file} cannot be used: ${describeSqliteError(error)}.`,
    error,
  );
}

/** The error of an open database whose file has lost its name. */
export function movedFileError(file: string): Unavailable {
  return new Unavailable(
    `The database refuses: ${file} was moved, replaced or deleted while it was in use.`,
    {
      hint: "Put the file and the -wal file beside it back; or end the service and restore a backup.",
      isPermanent: true,
    },
  );
}

/** Describes why SQLite or the operating system refuses. */
export function describeSqliteError(error: unknown): string {
  return reasons[primaryCode(error) ?? 0] ?? describeFsError(error).reason;
}

export function primaryCode(error: unknown): number | undefined {
  if (!Error.isError(error) || !("errcode" in error)) return undefined;
  const code = Number(error.errcode);
  return code === shmFullCode ? codes.full : code & 0xff;
}

/** A database that refuses one write for these refuses the next: no other process's lock is among them, which goes by itself. */
const unwritable = new Set<number | undefined>([
  codes.readonly,
  codes.ioError,
  codes.corrupt,
  codes.full,
  codes.cantOpen,
]);

/** Whether an error of a write says that the file takes none, such as that its disk is full. */
export function isUnwritable(error: unknown): boolean {
  return unwritable.has(primaryCode(error));
}

/** The operating system's codes for a file that this user may not use: no retry changes that. */
const forbidden = new Set(["EACCES", "EPERM", "EROFS"]);

function unavailableError(message: string, cause: unknown): Unavailable {
  const code = primaryCode(cause);
  const isFull = code === codes.full;
  const remedy = isFull
    ? diskFullCodes.remedy
    : code === undefined && describeFsError(cause).remedy;
  const hint = remedy ? `${remedy}, or name another database with --database.` : undefined;
  const isForbidden = forbidden.has(getFsErrorCode(cause) ?? "") || code === codes.readonly;
  return new Unavailable(message, { cause, hint, isPermanent: isFull || isForbidden });
}
