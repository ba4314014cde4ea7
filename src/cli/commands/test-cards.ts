import { BaseCommand } from "../base/base-command.ts";
import { testCards } from "../../contract/known-test-cards.ts";
import { outputFlags } from "../parse/flags.ts";

export default class TestCards extends BaseCommand {
  static override summary = "List the test cards and what each does.";
  static override examples = [
    "<%= config.bin %> test-cards",
    "<%= config.bin %> test-cards --json | jq -r '.data[].name'",
  ];
  static override flags = { ...outputFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(TestCards);
    const { style, width } = this;
    await this.show(
      {
        value: { object: "list", data: testCards },
        records: testCards,
        columns: ["name", "number", "brand", "outcome"],
        text: async () => {
          const { formatTable } = await import("../output/table.ts");
          const rows = testCards.map(({ name, number, brand, outcome }) => [
            name,
            number,
            brand,
            outcome,
          ]);
          return formatTable(["NAME", "NUMBER", "BRAND", "OUTCOME"], rows, { style, width });
        },
      },
      this.parseOutput(flags),
    );
  }
}
