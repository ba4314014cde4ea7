import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };
import { listBundledFiles, type BundledPackage, type Outputs } from "./bundled-packages.ts";

type Component = {
  type: "application" | "library" | "platform";
  "bom-ref": string;
  group?: string;
  name: string;
  version: string;
  licenses?: object[];
  purl: string;
  externalReferences?: object[];
  components?: Component[];
  properties?: { name: string; value: string }[];
};

/** A software bill of materials in the JSON of CycloneDX 1.6. */
export type Sbom = {
  $schema: string;
  bomFormat: "CycloneDX";
  specVersion: "1.6";
  version: 1;
  metadata: { timestamp?: string; lifecycles: object[]; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = `pkg:npm/${manifest.name}@${manifest.version}`;
/** The property that has the folder of a package, by which its files are found again. */
const folderProperty = "cdx:npm:package:path";

/** Lists the packages in the built command: what `npm pack` packs, without what npm installs beside it. */
export function createSbom(packages: readonly BundledPackage[]): Sbom {
  const refs = new Map(
    packages.flatMap((each) => each.folders.map((folder) => [folder, toPackageUrl(each)])),
  );
  const listImported = (each: BundledPackage) => {
    const imported = new Set(each.imports.flatMap((folder) => refs.get(folder) ?? []));
    return [...imported].filter((ref) => ref !== toPackageUrl(each)).toSorted();
  };
  const lock = readLock();
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      lifecycles: [{ phase: "build" }],
      component: {
        type: "application",
        "bom-ref": program,
        name: manifest.name,
        version: manifest.version,
        licenses: [toLicense(manifest.license)],
        purl: program,
      },
    },
    components: packages.map((each) => toComponent(each, lock)),
    dependencies: [
      { ref: program, dependsOn: packages.map(toPackageUrl).toSorted() },
      ...packages.map((each) => ({ ref: toPackageUrl(each), dependsOn: listImported(each) })),
    ],
  };
}

/** The versions that a process of Node reports, of itself and of its parts; some are those of interfaces. */
type NodeVersions = Partial<Record<string, string>> & { node: string };
const interfaces = new Set(["node", "modules", "napi"]);

/** The same list with Node and its parts, which the executable contains too. */
export function addNode(sbom: Sbom, versions: NodeVersions): Sbom {
  const parts = Object.entries(versions).flatMap(([name, version]) =>
    version && !interfaces.has(name) ? [toGeneric("library", name, version)] : [],
  );
  const node = toGeneric("platform", "node", versions.node);
  const [first, ...rest] = sbom.dependencies;
  return {
    ...sbom,
    components: [...sbom.components, { ...node, licenses: [toLicense("MIT")], components: parts }],
    dependencies: [
      { ref: program, dependsOn: [...(first?.dependsOn ?? []), node.purl] },
      ...rest,
      { ref: node.purl, dependsOn: parts.map(({ purl }) => purl) },
    ],
  };
}

/**
 * The folders of the packages with code in the built files. A file's package is found by the nearest package.json above
 * it, and not as the list of packages is made.
 */
export function listPackageFolders(outputs: Outputs): string[] {
  const folders = new Set([...listBundledFiles(outputs)].map(findPackageFolder));
  return [...folders].filter((folder) => folder.includes("node_modules/")).toSorted();
}

/** Those of the packages' folders that a list lacks. */
export function findUnlisted(sbom: Sbom, folders: readonly string[]): string[] {
  const listed = new Set(
    sbom.components.flatMap(({ properties = [] }) => properties.map(({ value }) => value)),
  );
  return folders.filter((folder) => !listed.has(folder));
}

/** The folder of the nearest package.json with a name: some packages have others inside. */
function findPackageFolder(file: string): string {
  const folder = dirname(file);
  if (folder === ".") return folder;
  const path = join(root, folder, "package.json");
  const named = existsSync(path) && "name" in (readJson(path) as object);
  return named ? folder : findPackageFolder(folder);
}

function toComponent(each: BundledPackage, lock: Lock): Component {
  const { folders, name, version, license } = each;
  const [base, group] = name.split("/").toReversed() as [string, string?];
  const purl = toPackageUrl(each);
  return {
    type: "library",
    "bom-ref": purl,
    ...(group && { group }),
    name: base,
    version,
    licenses: [toLicense(license)],
    purl,
    externalReferences: [toDistribution(each, lock[folders[0] ?? ""]?.integrity)],
    properties: folders.map((value) => ({ name: folderProperty, value })),
  };
}

function toGeneric(type: "library" | "platform", name: string, version: string): Component {
  const purl = `pkg:generic/${name}@${encodeURIComponent(version)}`;
  return { type, "bom-ref": purl, name, version, purl };
}

function toPackageUrl({ name, version }: { name: string; version: string }): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** One license by its id, several as an expression of SPDX. */
function toLicense(license: string): object {
  return /\s/.test(license) ? { expression: license } : { license: { id: license } };
}

/** The archive that npm installs, with the hash that package-lock.json pins. */
function toDistribution({ name, version }: BundledPackage, integrity: string | undefined): object {
  const hash = /^sha512-(\S+)$/.exec(integrity ?? "")?.[1];
  if (!hash) throw new Error(`package-lock.json has no SHA-512 of ${name} ${version}.`);
  const file = `${name.split("/").at(-1)}-${version}.tgz`;
  return {
    type: "distribution",
    url: `https://registry.npmjs.org/${name}/-/${file}`,
    hashes: [{ alg: "SHA-512", content: Buffer.from(hash, "base64").toString("hex") }],
  };
}

type Lock = Record<string, { integrity?: string } | undefined>;

function readLock(): Lock {
  return (readJson(join(root, "package-lock.json")) as { packages: Lock }).packages;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
