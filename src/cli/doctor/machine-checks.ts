import { type Stats, accessSync, constants, globSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Check, reportFailure, reportOk, reportWarning } from "../../contract/doctor.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { findProxy, isRuledOut } from "../../runtime/http-transport.ts";
import { explainOldNode } from "../../runtime/child-programs.ts";
import { quoteForShell } from "../../runtime/text.ts";
import { isLoopback } from "../../runtime/transport-safety.ts";
import { describeFsError, findOpenFiles, getFsErrorCode } from "../../runtime/user-files.ts";
import type { Directories, Environment } from "../config/blank-settings.ts";
import type { Keyring } from "../config/keyring.ts";

type Machine = {
  env: Environment;
  directories: Directories;
  keyring: Keyring;
  /** The service over the network, if commands use one. */
  baseUrl: string | undefined;
};

/** The checks of the machine that the command runs on, but for its clock, which needs another one to compare. */
export function* checkMachine(machine: Machine): Generator<Check> {
  const { env, directories, keyring, baseUrl } = machine;
  yield checkNode();
  yield checkKeyring(keyring);
  yield* checkFiles(directories);
  if (baseUrl !== undefined) yield checkProxy(new URL(baseUrl), env);
}

/** The launcher starts no older Node; a program from source, or another launcher, might. */
export function checkNode(version = process.versions.node, path = process.execPath): Check {
  const reason = explainOldNode(version, path);
  if (reason === undefined) return reportOk("node", `Node ${version}, ${path}.`);
  return reportFailure("node", reason, "npm install node@24");
}

/** Asks for an entry that is not there, which any keyring can answer. */
function checkKeyring(keyring: Keyring): Check {
  const asked = keyring.get("payments doctor");
  if (!("reason" in asked)) return reportOk("keyring", "The keyring stores keys.");
  const { answer, reason } = asked;
  const detail = `Keys are stored in files that only you can read, not in a keyring: ${reason}.`;
  // As on every server: nothing is wrong, and no command would help.
  if (answer === "absent") return reportOk("keyring", detail);
  const remedy = answer === "locked" ? "Unlock the keyring" : "Start the keyring again";
  return reportWarning("keyring", detail, `${remedy}, then payments login`);
}

/** The proxy as it applies to the service; its user and password are left out. */
function checkProxy(service: URL, env: Environment): Check {
  const name = service.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  try {
    const proxy = findProxy(service, env);
    if (proxy && !isRuledOut(service, proxy)) {
      const { protocol, host } = new URL(proxy.url);
      const except = proxy.except === "" ? "" : `, except for ${proxy.except} (NO_PROXY)`;
      return reportOk(
        "proxy",
        `Requests to ${service.host} go through ${protocol}//${host}${except}.`,
      );
    }
    const unnamed = isLoopback(service.hostname) ? "it is this machine" : `${name} is not set`;
    const why = proxy ? `NO_PROXY rules out ${new URL(proxy.url).host}` : unnamed;
    return reportOk("proxy", `Requests to ${service.host} go through no proxy: ${why}.`);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return reportFailure("proxy", error.message, `unset ${name} ${name.toLowerCase()}`);
  }
}

/** All files that the command makes, with those that SQLite makes beside them, by their folder. */
const privateFiles: [folder: keyof Directories, names: string[]][] = [
  ["config", ["config.json", "context.json", "login-*.json", "listener-*.json"]],
  ["config", ["contexts/*/config.json", "contexts/*/login-*.json"]],
  ["data", ["embedded-keys.json", "payments.db*", "listener-*.{lock,making}*"]],
  ["data", ["errors.html", ".payments-*.partial*"]],
];

/** Checks the owner and the mode of the user's folders and files, and whether what is missing could be made. */
export function checkFiles(directories: Directories, uid = process.getuid?.()): Check[] {
  const found: string[] = [];
  const problems: Check[] = [];
  for (const folder of new Set([directories.config, directories.data])) {
    const problem = checkFolder(folder, uid);
    if (problem) problems.push(problem);
    else if (findStats(folder)) found.push(folder);
  }
  for (const [kind, names] of privateFiles) {
    for (const name of globSync(names, { cwd: directories[kind] })) {
      const file = join(directories[kind], name);
      const problem = checkFile(file, uid);
      if (problem) problems.push(problem);
      else found.push(file);
    }
  }
  if (problems.length > 0) return problems;
  const { config, data } = directories;
  const where = config === data ? config : `${config} and ${data}`;
  if (found.length === 0) return [reportOk("files", `There are no files yet in ${where}.`)];
  return [
    reportOk("files", `The files in ${where} belong to this user, and nobody else can read them.`),
  ];
}

/** A folder that is missing must be one that can be made. */
function checkFolder(folder: string, uid: number | undefined): Check | undefined {
  const useAnother = "export PAYMENTS_HOME=FOLDER";
  try {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (!stats) {
      assertWritable(findFolderAbove(folder));
      return undefined;
    }
    if (!stats.isDirectory())
      return reportFailure("files", `${folder} is not a folder.`, useAnother);
    const owned = checkOwner(folder, stats, uid);
    if (owned) return owned;
    if (uid !== undefined && stats.mode & 0o022)
      return reportFailure(
        "files",
        `Others can write to ${folder} (mode ${formatMode(stats)}).`,
        `chmod 700 ${quoteForShell(folder)}`,
      );
    assertWritable(folder);
    return undefined;
  } catch (error) {
    if (getFsErrorCode(error) === undefined) throw error;
    return reportFailure(
      "files",
      `The folder ${folder} cannot be used: ${describeFsError(error).reason}.`,
      useAnother,
    );
  }
}

function checkFile(file: string, uid: number | undefined): Check | undefined {
  const stats = findStats(file);
  if (!stats) return undefined;
  const owned = checkOwner(file, stats, uid);
  if (owned || uid === undefined) return owned;
  const [open] = findOpenFiles([file]);
  return (
    open &&
    reportFailure(
      "files",
      `Others can read or write ${file} (mode ${open.mode}).`,
      `chmod 600 ${quoteForShell(file)}`,
    )
  );
}

/** Root may use every file, but its new files would then be closed to their owner. */
function checkOwner(path: string, stats: Stats, uid: number | undefined): Check | undefined {
  if (uid === undefined || stats.uid === uid) return undefined;
  const detail = `${path} belongs to another user, with the number ${stats.uid}.`;
  const help = `sudo chown ${uid} ${quoteForShell(path)}`;
  if (uid !== 0) return reportFailure("files", detail, help);
  return reportWarning("files", detail, `sudo -u '#${stats.uid}' payments doctor`);
}

function findStats(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function findFolderAbove(folder: string): string {
  const above = dirname(folder);
  return above === folder || findStats(above) ? above : findFolderAbove(above);
}

function assertWritable(folder: string): void {
  accessSync(folder, constants.W_OK | constants.X_OK);
}

function formatMode({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, "0");
}
