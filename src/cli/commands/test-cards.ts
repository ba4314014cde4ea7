import { BaseCommand } from "../program/base-command.ts";
import { testCards } from "../../contract/card.ts";
import { minWrappedWidth as minWidth, type View } from "../output/resource.ts";
import { outputFlags } from "../flags/flags.ts";
import { describeReading, listOutput } from "../output/command-facts.ts";

type TestCard = (typeof testCards)[number];

const testCardView: View<TestCard> = {
  fields: ["name", "number", "brand", "outcome", "refund"],
  columns: [
    { title: "NAME", text: ({ name }) => name },
    { title: "NUMBER", text: ({ number }) => number, minWidth },
    { title: "BRAND", text: ({ brand }) => brand, minWidth },
    { title: "OUTCOME", text: describeOutcome, minWidth },
  ],
};

function describeOutcome({ outcome, refund }: TestCard): string {
  switch (refund) {
    case "declined":
      return `${outcome}, refund declined`;
    case "slow":
      return `${outcome}, refund slow`;
    case undefined:
      return outcome;
    default:
      return refund satisfies never;
  }
}

export default class TestCards extends BaseCommand {
  static override summary = "List the test cards and what each does.";
  static override examples = [
    "payments test-cards",
    "payments test-cards --json | jq -r '.data[].name'",
  ];
  static override flags = { ...outputFlags };
  static facts = describeReading(listOutput(testCardView.fields), {});

  async run(): Promise<void> {
    const { flags } = await this.parse(TestCards);
    await this.showMany(testCardView, { object: "list", data: testCards }, this.parseOutput(flags));
  }
}
