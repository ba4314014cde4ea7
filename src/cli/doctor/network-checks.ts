import { reportFailure, type Check } from "../../contract/doctor.ts";
import { resolveNetwork } from "../config/network-settings.ts";
import type { Environment } from "../config/directories.ts";
import { CommandError } from "../errors/command-error.ts";

type NetworkFlags = { network: string | undefined; env: Environment; version: string };

/** The checks of the card network that `serve` would be attached to, by its flag or variable; none without one. */
export async function* checkNetwork({
  network,
  env,
  version,
}: NetworkFlags): AsyncGenerator<Check> {
  if (network === undefined) return;
  try {
    const settings = resolveNetwork(network, env);
    if (!settings) return;
    const { probeNetwork } = await import("../../service/server/doctor/probe-network.ts");
    yield* probeNetwork(settings, version);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    yield reportFailure("network", error.message, error.hint ?? "payments serve --help");
  }
}
