import { BaseCommand } from "../base-command.ts";
import { testCards } from "../contract/test-cards.ts";
import { jsonFlag } from "../flags.ts";
import { table } from "../output/table.ts";

export default class TestCards extends BaseCommand {
  static override summary = "List the test cards and what each does.";
  static override examples = [
    "<%= config.bin %> test-cards",
    "<%= config.bin %> test-cards --json | jq -r '.data[].name'",
  ];
  static override flags = { ...jsonFlag };

  async run(): Promise<void> {
    const { flags } = await this.parse(TestCards);
    this.show({ object: "list", data: testCards }, flags, () =>
      table(
        ["NAME", "NUMBER", "BRAND", "OUTCOME"],
        testCards.map(({ name, number, brand, outcome }) => [name, number, brand, outcome]),
        this.style,
      ),
    );
  }
}
