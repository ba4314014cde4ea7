import { execFileSync, type ExecFileSyncOptions } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toTitle, type BundledPackage } from "./bundled-packages.ts";

type Licensed = Pick<BundledPackage, "name" | "version" | "license" | "licenseText">;

/** A chapter of the text about the licenses of others. */
export function formatLicense({ license, licenseText, ...each }: Licensed): string {
  return `${toTitle(each)} (${license})\n\n${licenseText}\n\n${"-".repeat(80)}\n`;
}

/** The chapter about the Node that runs this: its license has those of all that is in Node, too. */
export function formatNodeLicense(): string {
  const licenseText = readNodeLicense().trim();
  return formatLicense({
    name: "node",
    version: process.versions.node,
    license: "MIT",
    licenseText,
  });
}

/** Node's archives have the license two folders above the program; npm has an archive for each platform. */
function readNodeLicense(): string {
  const beside = join(process.execPath, "../../LICENSE");
  if (existsSync(beside)) return readFileSync(beside, "utf8");
  const { platform, arch, versions } = process;
  const archive = `node-${platform === "win32" ? "win" : platform}-${arch}@${versions.node}`;
  const folder = mkdtempSync(join(tmpdir(), "payments-node-license-"));
  try {
    const options: ExecFileSyncOptions = { cwd: folder, stdio: ["ignore", "ignore", "inherit"] };
    execFileSync("npm", ["pack", "--silent", "--prefer-offline", archive], options);
    const [file = ""] = globSync("*.tgz", { cwd: folder });
    execFileSync("tar", ["-xzf", file, "package/LICENSE"], options);
    return readFileSync(join(folder, "package/LICENSE"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
