import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { expect, test } from "vitest";
import { addNode, findUnlisted, listPackageFolders, type Sbom } from "../../bin/contents/sbom.ts";
import { outputs, root } from "../testkit/command/built-commands.ts";

const built = JSON.parse(readFileSync(join(root, "dist/sbom.cdx.json"), "utf8")) as Sbom;
const sbom = addNode(built, process.versions);

test("the list of what the program contains is valid CycloneDX", async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  expect(await validator.validate(JSON.stringify(sbom))).toBeNull();
  const broken = { ...sbom, components: [{ ...sbom.components[0], version: 1 }] };
  expect(await validator.validate(JSON.stringify(broken))).not.toBeNull();
});

test("every package with code in the built command is listed, and one that is taken out is noticed", () => {
  const bundled = listPackageFolders(outputs);
  expect(findUnlisted(built, bundled)).toEqual([]);
  expect(built.components.length).toBeGreaterThan(100);
  for (const taken of built.components) {
    const components = built.components.filter((other) => other !== taken);
    const folders = taken.properties?.map(({ value }) => value);
    expect(findUnlisted({ ...built, components }, bundled)).toEqual(folders);
  }
});

test("Node is listed with its version and its parts, and each dependency is a component", () => {
  const node = sbom.components.find(({ name }) => name === "node");
  expect(node).toMatchObject({ version: process.versions.node });
  expect(node?.components).toContainEqual(
    expect.objectContaining({ name: "openssl", version: process.versions.openssl }),
  );
  const components = sbom.components.flatMap((each) => [each, ...(each.components ?? [])]);
  const refs = [sbom.metadata.component, ...components].map((each) => each["bom-ref"]);
  expect(new Set(refs).size).toBe(refs.length);
  for (const { ref, dependsOn } of sbom.dependencies) {
    expect(refs).toEqual(expect.arrayContaining([ref, ...dependsOn]));
  }
});

test("each listed package stands with a text among the licenses", () => {
  const text = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  const titles = [...text.matchAll(/^(\S+ \S+) \(.+\)\n\n\S/gm)].map(([, title]) => title);
  const listed = built.components.map(({ group, name, version }) =>
    [group ? `${group}/${name}` : name, version].join(" "),
  );
  expect(titles).toEqual(expect.arrayContaining(listed));
});
