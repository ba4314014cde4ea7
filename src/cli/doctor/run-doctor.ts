import { Readable } from "node:stream";
import {
  type Check,
  type DoctorCheck,
  type DoctorGroup,
  type DoctorReport,
  reportFailure,
  reportOk,
} from "../../contract/doctor.ts";
import type { Directories, Environment } from "../config/blank-settings.ts";
import type { Keyring } from "../config/keyring.ts";
import { resolveNetwork } from "../config/serve-settings.ts";
import { embedded } from "../config/profile.ts";
import { isDatabaseNamed, resolveDatabase } from "../config/resolve-settings.ts";
import { CommandError } from "../output/command-error.ts";
import { contactService } from "./contact-service.ts";
import { type Target, checkServed, checkService, compareClocks } from "./service-checks.ts";
import { checkMachine } from "./machine-checks.ts";

type Surroundings = {
  target: Target;
  env: Environment;
  directories: Directories;
  keyring: Keyring;
  /** As given by the flags; each may be undefined. */
  database: string | undefined;
  network: string | undefined;
  /** Of this program. */
  version: string;
};

/**
 * Runs every check that applies, and yields each as it ends, in the order of the groups. The machine's come first: they
 * block this process, and a round trip would seem longer. The others run side by side, so that the time limits of what
 * is dead do not add up.
 */
export async function* runDoctor(surroundings: Surroundings): AsyncGenerator<DoctorCheck> {
  const { target } = surroundings;
  const { baseUrl } = target;
  const service = baseUrl === embedded ? undefined : baseUrl;
  yield* inGroup("machine", checkMachine({ ...surroundings, baseUrl: service }));
  const contacted = service === undefined ? undefined : contactService(service, target.key);
  const others: [DoctorGroup, AsyncIterable<Check>][] = [
    ["machine", compareClocks(contacted)],
    ["service", contacted ? checkService(target, contacted) : checkEmbedded(surroundings)],
    ["database", checkDatabaseOf(surroundings)],
    ["network", checkNetwork(surroundings)],
  ];
  const running = others.map(([group, checks]) => readAhead(inGroup(group, checks)));
  for (const checks of running) yield* checks;
}

/** Counts the checks. */
export function toReport(checks: DoctorCheck[]): DoctorReport {
  const count = (status: DoctorCheck["status"]) =>
    checks.filter((check) => check.status === status).length;
  return {
    object: "doctor",
    ok: count("ok"),
    warned: count("warn"),
    failed: count("fail"),
    checks,
  };
}

/** Whether a service or a database was reached: the check of that name says so. */
export function hasReachedAny(checks: readonly DoctorCheck[]): boolean {
  return checks.some(
    ({ group, name, status }) =>
      (group === "service" || group === "database") && name === group && status === "ok",
  );
}

/**
 * Without a service over the network commands use the one in this program, unless a setting is wrong. Where a database
 * is named, one should run on this machine for others.
 */
async function* checkEmbedded({ target, database, env }: Surroundings): AsyncGenerator<Check> {
  yield* target.problems;
  if (target.baseUrl !== embedded) return;
  const isNamed = isDatabaseNamed(database, env);
  const detail = isNamed
    ? "Commands act on the database itself: no service is configured."
    : "Commands use the service inside this program: no other one is configured.";
  yield reportOk("embedded", detail);
  if (isNamed && !target.isEmbeddedChosen) yield await checkServed(env);
}

/** The user's own database is checked only where commands use the embedded service; a named one always is. */
async function* checkDatabaseOf(surroundings: Surroundings): AsyncGenerator<Check> {
  const { target, database, env, directories } = surroundings;
  const isNamed = isDatabaseNamed(database, env);
  if (!isNamed && target.baseUrl !== embedded) return;
  const { checkDatabase } = await import("../../service/server/doctor/check-database.ts");
  const keyFolder = isNamed ? undefined : directories.data;
  yield* checkDatabase({ database: resolveDatabase(database, env), isNamed, keyFolder });
}

/** A fault of the program in one group must not hide the others. */
async function* inGroup(
  group: DoctorGroup,
  checks: Iterable<Check> | AsyncIterable<Check>,
): AsyncGenerator<DoctorCheck> {
  try {
    for await (const check of checks) yield { group, ...check };
  } catch (error) {
    const detail = `Internal error: ${Error.isError(error) ? error.message : String(error)}`;
    yield { group, ...reportFailure("doctor", detail, "payments --version, for your report") };
  }
}

/** Reads at once; what is read waits until it is asked for. */
function readAhead<T>(items: AsyncIterable<T>): AsyncIterable<T> {
  const stream = Readable.from(items, { highWaterMark: 1_000 });
  stream.read(0);
  return stream as AsyncIterable<T>;
}

type NetworkFlags = { network: string | undefined; env: Environment; version: string };

/** The checks of the card network that `serve` would be attached to, by its flag or variable; none without one. */
async function* checkNetwork({ network, env, version }: NetworkFlags): AsyncGenerator<Check> {
  if (network === undefined) return;
  try {
    const settings = resolveNetwork(network, env);
    if (!settings) return;
    const { probeNetwork } = await import("../../service/server/attach-network.ts");
    yield* probeNetwork(settings, version);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    yield reportFailure("network", error.message, error.hint ?? "payments serve --help");
  }
}
