import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { apiKeyPattern, modeOfKey, modes, type Mode } from "../contract/key.ts";
import type { Directories } from "./directories.ts";
import { deleteFile, readJsonFile, writeJsonFile } from "./json-file.ts";

/** A stored key, and the only service that it is ever sent to. */
export type Login = { baseUrl: string; key: string };

const profile = z.object({ mode: z.enum(modes) });
const login = z.object({ base_url: z.string(), key: z.string().regex(apiKeyPattern) });

/** The mode that `payments mode` has set. */
export function storedMode({ config }: Directories): Mode | undefined {
  return readJsonFile(join(config, "config.json"), profile)?.mode;
}

export function storeMode({ config }: Directories, mode: Mode): void {
  writeJsonFile(join(config, "config.json"), { mode });
}

/** The login of a mode. Each has a file of its own, so that two logins never undo each other. */
export function storedLogin(directories: Directories, mode: Mode): Login | undefined {
  const file = loginFile(directories, mode);
  const stored = readJsonFile(
    file,
    login.refine(({ key }) => modeOfKey(key) === mode),
  );
  return stored && { baseUrl: stored.base_url, key: stored.key };
}

/** Stores a login; gives the file that holds it. */
export function storeLogin(directories: Directories, mode: Mode, { baseUrl, key }: Login): string {
  const file = loginFile(directories, mode);
  writeJsonFile(file, { base_url: baseUrl, key });
  return file;
}

/** Forgets a login, a damaged one too; gives whether there was one. */
export function forgetLogin(directories: Directories, mode: Mode): boolean {
  return deleteFile(loginFile(directories, mode));
}

export function hasLogin(directories: Directories, mode: Mode): boolean {
  return existsSync(loginFile(directories, mode));
}

function loginFile({ config }: Directories, mode: Mode): string {
  return join(config, `login-${mode}.json`);
}
