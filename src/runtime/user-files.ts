import { closeSync, lstatSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { ConfigError } from "./failures.ts";

// Files and folders that only their owner may read, for the command and the service.

/** The system's functions; they throw for a user who has a number but no name. */
export type System = { homedir: () => string; userInfo: () => { homedir: string } };

/**
 * The user's home folder. An empty or relative HOME must not put keys into the current folder. A user without a name, as
 * in a container, has no home, and gets the root, where nothing can be made.
 */
export function findHome(system: System = { homedir, userInfo }): string {
  try {
    const named = system.homedir();
    return isAbsolute(named) ? named : system.userInfo().homedir;
  } catch {
    return "/";
  }
}

/**
 * Expands `~/` in a path that no shell has seen, from a setting, a URL or `--flag=~/x`: else it would name a folder `~`
 * here. ConfigError for another user's home, `~ada/x`, which only a shell can find. The path may be a secret in the wrong
 * place, and is not repeated.
 */
export function expandHome(path: string): string {
  const isOwn = process.platform === "win32" ? /^~(?=$|[/\\])/ : /^~(?=$|\/)/;
  if (isOwn.test(path)) return path === "~" ? findHome() : join(findHome(), path.slice(1));
  if (!/^~[a-z_][\w-]*(?:\/|$)/i.test(path)) return path;
  throw new ConfigError(
    "A path that begins with ~NAME is expanded by a shell only. Nothing was done.",
    "Write that user's home in full; a file of that name is ./~NAME.",
  );
}

/**
 * Makes a folder and those above it, for their owner only. One by one: Node's own recursive mkdir
 * never ends where a folder is there but nothing can be made in it, as under /proc.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!isFolder(folder)) throw error; // else another process was quicker
  }
}

/**
 * Makes a file for its owner only, where there is none: SQLite would make it readable to every user, and gives the files
 * beside it the same mode. Errors: the path leads to something other than a file.
 */
export function makePrivateFile(file: string): void {
  makeFolder(dirname(file));
  findFile(file); // opening a pipe might never return
  closeSync(openSync(file, "a", 0o600));
}

/** Which of these files users other than their owner can read or write; none on Windows, which has no such modes. */
export function findOpenFiles(files: readonly string[]): { file: string; mode: string }[] {
  if (process.platform === "win32") return [];
  return files.flatMap((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats || (stats.mode & 0o077) === 0) return [];
    return [{ file, mode: (stats.mode & 0o777).toString(8).padStart(4, "0") }];
  });
}

/**
 * The file that a path leads to, links followed; undefined where there is nothing. Errors: the
 * path leads to something other than a file. A dead link is an error too: its target may be on a disk that is
 * not mounted, so the file must not count as missing.
 */
export function findFile(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) {
    const link = lstatSync(path, { throwIfNoEntry: false });
    if (link?.isSymbolicLink()) throw new NoFile(deadLink);
    return undefined;
  }
  if (found.isDirectory()) throw new NoFile(isAFolder);
  if (!found.isFile()) throw new NoFile(noFile); // reading it might never end
  return realpathSync(path);
}

/** The reason why a file cannot be used, as a clause, and its remedy, as the beginning of a sentence. */
export type FsError = { reason: string; remedy: string };

/** Why an operation on a file failed. */
export function describeFsError(error: unknown): FsError {
  if (error instanceof NoFile) return error.reasonAndRemedy;
  const known = fsErrors[getFsErrorCode(error) ?? ""];
  if (known) return known;
  const reason = Error.isError(error) ? error.message : String(error);
  return { reason, remedy: "Check its path and its permissions" };
}

/** The operating system's name for an error, such as ENOENT. */
export function getFsErrorCode(error: unknown): string | undefined {
  return Error.isError(error) && "code" in error ? String(error.code) : undefined;
}

class NoFile extends Error {
  override name = "NoFile";
  readonly reasonAndRemedy: FsError;

  constructor(reasonAndRemedy: FsError) {
    super(reasonAndRemedy.reason);
    this.reasonAndRemedy = reasonAndRemedy;
  }
}

const moveAway = "Move it away";
const deadLink = {
  reason: "it is a link that leads nowhere",
  remedy: "Put back what it leads to, remove the link",
};
const noFile = { reason: "it is not a file", remedy: moveAway };
const isAFolder = { reason: "it is a folder", remedy: moveAway };
const notAFolder = { reason: "a part of its path is not a folder", remedy: "Check its path" };
const forbidden = {
  reason: "this user may not read or write it",
  remedy: "Check its permissions and its folder's",
};
export const diskFullCodes: FsError = {
  reason: "the disk is full",
  remedy: "Make room on its disk",
};
const fsErrors: Record<string, FsError> = {
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: { reason: "its disk can only be read", remedy: "Check how the disk is mounted" },
  ENOSPC: diskFullCodes,
  EDQUOT: diskFullCodes,
  ENOENT: { reason: "its folder is missing, and cannot be made", remedy: "Check its path" },
  ENOTDIR: notAFolder,
  EEXIST: notAFolder,
  EISDIR: isAFolder,
  ERR_FS_EISDIR: isAFolder,
  ELOOP: { reason: "its links lead in a circle", remedy: "Remove the link" },
  ENAMETOOLONG: { reason: "its path is too long", remedy: "Shorten it" },
};

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // mkdir's error says why
  }
}
