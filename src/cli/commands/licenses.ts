import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";
import { BaseCommand } from "../program/base-command.ts";
import { minWrappedWidth as minWidth, type View } from "../output/resource.ts";
import { outputFlags, switchFlag } from "../flags/flags.ts";
import { describeReading, listOutput } from "../output/command-facts.ts";

const packageView: View<BundledPackage> = {
  fields: ["name", "version", "license"],
  columns: [
    { title: "NAME", text: ({ name }) => name, minWidth },
    { title: "VERSION", text: ({ version }) => version },
    { title: "LICENSE", text: ({ license }) => license, minWidth },
  ],
};

export default class Licenses extends BaseCommand {
  static override summary = "List the packages in this program and their licenses.";
  static override examples = [
    "payments licenses",
    "payments licenses --texts",
    "payments licenses -o csv > licenses.csv",
  ];
  static override flags = {
    ...outputFlags,
    texts: switchFlag("Print the full text of each license instead.", {
      exclusive: ["output", "json", "fields"],
    }),
  };
  static facts = describeReading(listOutput(["name", "version", "license"]), {});

  async run(): Promise<void> {
    const { flags } = await this.parse(Licenses);
    const { root } = this.config;
    if (flags.texts) return void process.stdout.write(readBuilt(root, "THIRD-PARTY-LICENSES.txt"));
    const data = listBundledPackages(root);
    await this.showMany(packageView, { object: "list", data }, this.parseOutput(flags));
  }
}

/** A package of others that this program contains; `license` is in SPDX's words. */
type BundledPackage = { name: string; version: string; license: string };

type Component = {
  group?: string;
  name: string;
  version: string;
  licenses: { license?: { id: string }; expression?: string }[];
};

/** Lists the packages from the bill of materials that the build made. The executable also contains Node. */
function listBundledPackages(root: string): BundledPackage[] {
  const { components } = JSON.parse(readBuilt(root, "sbom.cdx.json")) as {
    components: Component[];
  };
  return components.map(({ group, name, version, licenses }) => ({
    name: group === undefined ? name : `${group}/${name}`,
    version,
    license: licenses.map(({ license, expression }) => license?.id ?? expression).join(" AND "),
  }));
}

/** A file that the build makes beside the command; an asset of a single executable. */
function readBuilt(root: string, file: string): string {
  return isSea() ? getAsset(file, "utf8") : readFileSync(join(root, "dist", file), "utf8");
}
