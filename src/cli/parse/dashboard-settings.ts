import { BlockList, isIP } from "node:net";
import { isReachedConfidentially } from "../../runtime/transport-safety.ts";
import { usageError } from "../errors/command-error.ts";
import type { NameSetting } from "./setting-names.ts";

/** The host on which a service listens, and the URL at which others reach it. */
type Address = { host: string; publicUrl: string | undefined };

/** Parses the settings of the dashboard; undefined if the service serves none. */
export function parseDashboardSettings(
  isEnabled: boolean,
  trustedProxies: string | undefined,
  address: Address,
  name: NameSetting,
): { trustedProxies: BlockList } | undefined {
  if (!isEnabled) {
    if (trustedProxies === undefined) return undefined;
    throw usageError(
      `${name("trusted-proxies")} is for the dashboard: add --dashboard, or leave it out.`,
    );
  }
  if (!isReachedConfidentially(address)) {
    throw usageError(
      `${name("dashboard")} needs an https --public-url, or a --host and --public-url of this machine only: without encryption others could take over a session.`,
      "For example --public-url https://payments.example.com, behind a proxy that has the certificate.",
    );
  }
  const networks = new BlockList();
  for (const network of trustedProxies?.split(",") ?? [])
    addNetwork(networks, network.trim(), name("trusted-proxies"));
  return { trustedProxies: networks };
}

function addNetwork(networks: BlockList, network: string, name: string): void {
  const [address = "", prefix, ...rest] = network.split("/");
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (version === 0 || !isPrefix || rest.length > 0) {
    throw usageError(
      `${name} must be addresses or networks, separated by commas.`,
      "For example 127.0.0.1,10.0.0.0/8",
    );
  }
  networks.addSubnet(address, Number(prefix ?? bits), version === 4 ? "ipv4" : "ipv6");
}
