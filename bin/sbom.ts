// Writes the software bill of materials of the executable, in CycloneDX's JSON: the packages in the built command,
// and Node with its parts. It fails where a package is left out, or where the list breaks CycloneDX's schema.
//   node bin/sbom.ts [FILE]   writes FILE, else build/sbom.cdx.json
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import type { Outputs } from "./contents/bundled-packages.ts";
import { addNode, findUnlisted, listPackageFolders, type Sbom } from "./contents/sbom.ts";

const file = resolve(process.argv[2] ?? "build/sbom.cdx.json");
process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const sbom = addNode(readJson("dist/sbom.cdx.json") as Sbom, process.versions);
const { outputs } = readJson("dist/metafile.json") as { outputs: Outputs };
const unlisted = findUnlisted(sbom, listPackageFolders(outputs));
if (unlisted.length > 0) throw new Error(`The list lacks ${unlisted.join(", ")}.`);

sbom.metadata.timestamp = findTime().toISOString();
const text = `${JSON.stringify(sbom, null, 2)}\n`;
const mistake = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
if (mistake !== null) throw new Error(JSON.stringify(mistake));
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, text);
console.log(`${file}: ${sbom.components.length} components`);

/** `SOURCE_DATE_EPOCH` makes a build repeatable: https://reproducible-builds.org/specs/source-date-epoch/. */
function findTime(): Date {
  const seconds = process.env["SOURCE_DATE_EPOCH"];
  return seconds === undefined ? new Date() : new Date(Number(seconds) * 1000);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
