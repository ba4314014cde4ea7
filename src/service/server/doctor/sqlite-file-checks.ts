import { accessSync, constants, type Stats } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { reportFailure, reportOk, reportWarning, type Check } from "../../../contract/doctor.ts";
import { describeFsError, findFile, findOpenFiles } from "../../../runtime/user-files.ts";
import { quoteForShell } from "../../../runtime/text.ts";
import { sqliteSuffixes } from "../../database/new-file.ts";
import { readStat } from "../../database/sqlite-reader.ts";
import { unusableFileError } from "../../database/sqlite-errors.ts";
import type { Step } from "./run-steps.ts";

const mebibyte = 1024 * 1024;

/** When free space is scarce, and a log too long; how the free space of a folder is read, in bytes. */
export type FileLimits = {
  warnFreeBytes: number;
  failFreeBytes: number;
  maxLogBytes: number;
  readFreeBytes: (folder: string) => Promise<number>;
};

/** The service shortens its log to 64 MiB once nothing reads old pages any more. */
const defaults: FileLimits = {
  warnFreeBytes: 1024 * mebibyte,
  failFreeBytes: 100 * mebibyte,
  maxLogBytes: 256 * mebibyte,
  readFreeBytes: async (folder) => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
};

/** Whether there is a file; an Unavailable error where a path leads to something else. */
export function isSqliteFileThere(path: string): boolean {
  try {
    return path === ":memory:" || findFile(path) !== undefined;
  } catch (error) {
    throw unusableFileError(path, error);
  }
}

/** Checks around a SQLite file: the right to write, room on its disk, and a log that stays short. */
export function listFileSteps(path: string, changed: Partial<FileLimits> = {}): Step[] {
  const limits = { ...defaults, ...changed };
  if (path === ":memory:") return [];
  const file = findFile(path) ?? path;
  const folder = dirname(file);
  return [
    {
      name: "writable",
      help: `chmod u+w ${quoteForShell(path)}`,
      run: () => checkWritable(file, folder),
    },
    {
      name: "disk",
      help: `df -h ${quoteForShell(folder)}`,
      run: async () => checkSpace(await limits.readFreeBytes(folder), folder, limits),
    },
    {
      name: "log",
      help: `ls -l ${quoteForShell(`${path}-wal`)}`,
      run: () => checkLog(readStat(`${file}-wal`), path, limits),
    },
  ];
}

function checkWritable(file: string, folder: string): Check {
  for (const path of [file, folder]) {
    try {
      accessSync(path, constants.W_OK);
    } catch (error) {
      const detail = `This user cannot write to ${path}: ${describeFsError(error).reason}.`;
      return reportFailure(
        "writable",
        detail,
        `ls -ld ${quoteForShell(folder)} ${quoteForShell(file)}`,
      );
    }
  }
  return checkPrivate(file);
}

/** A group may be meant to read it, for backups. */
const groupMayRead = "0640";

function checkPrivate(file: string): Check {
  const open = findOpenFiles(["", ...sqliteSuffixes].map((suffix) => file + suffix));
  const [first] = open;
  if (!first) {
    return reportOk("writable", "This user may write to the file and its folder, and nobody else.");
  }
  const list = open.map((each) => `${each.file} (mode ${each.mode})`).join(", ");
  const help = `chmod 600 ${open.map((each) => quoteForShell(each.file)).join(" ")}`;
  return open.every(({ mode }) => mode === groupMayRead)
    ? reportWarning("writable", `The group can read ${list}.`, help)
    : reportFailure("writable", `Others can read or write ${list}.`, help);
}

function checkSpace(freeBytes: number, folder: string, limits: FileLimits): Check {
  const detail = `${formatBytes(freeBytes)} are free on the disk of ${folder}`;
  const help = `df -h ${quoteForShell(folder)}`;
  if (freeBytes < limits.failFreeBytes)
    return reportFailure("disk", `Only ${detail}: writes will fail soon.`, help);
  if (freeBytes < limits.warnFreeBytes) return reportWarning("disk", `Only ${detail}.`, help);
  return reportOk("disk", `${detail}.`);
}

function checkLog(log: Stats | undefined, path: string, { maxLogBytes }: FileLimits): Check {
  const size = log?.size ?? 0;
  const detail = `The log of writes, ${path}-wal, has ${formatBytes(size)}`;
  if (size <= maxLogBytes) return reportOk("log", `${detail}.`);
  return reportWarning(
    "log",
    `${detail}: a program has been reading the database for long, such as a backup, or none has closed it.`,
    `fuser -v ${quoteForShell(path)}`,
  );
}

function formatBytes(bytes: number): string {
  const count = bytes / mebibyte;
  if (count < 1) return `${Math.ceil(bytes / 1024)} KiB`;
  return count < 10 * 1024 ? `${Math.floor(count)} MiB` : `${Math.floor(count / 1024)} GiB`;
}
