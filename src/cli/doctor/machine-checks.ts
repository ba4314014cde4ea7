import { findProxy, isRuledOut } from "../../runtime/http-transport.ts";
import { isLoopback } from "../../runtime/transport-safety.ts";
import { reportFailure, reportOk, reportWarning, type Check } from "../../contract/doctor.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { explainOldNode } from "../../runtime/node-version.ts";
import type { Directories, Environment } from "../config/directories.ts";
import type { Keyring } from "../config/keyring.ts";
import { checkFiles } from "./file-checks.ts";

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
