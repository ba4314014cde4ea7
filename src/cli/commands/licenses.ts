import { BaseCommand } from "../base/base-command.ts";
import {
  listBundledPackages,
  readLicenseTexts,
  type BundledPackage,
} from "../config/bundled-packages.ts";
import { minWrappedWidth as minWidth, type View } from "../output/resource.ts";
import { switchFlag } from "../flags/flag-kinds.ts";
import { outputFlags } from "../flags/flags.ts";

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

  async run(): Promise<void> {
    const { flags } = await this.parse(Licenses);
    const { root } = this.config;
    if (flags.texts) return void process.stdout.write(readLicenseTexts(root));
    const data = listBundledPackages(root);
    await this.showMany(packageView, { object: "list", data }, this.parseOutput(flags));
  }
}
