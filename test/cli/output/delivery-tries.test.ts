import { Chalk } from "chalk";
import { expect, test } from "vitest";
import { formatDelivery, formatTest } from "../../../src/cli/output/delivery-tries.ts";
import { triedDeliveryWith, webhookTestWith } from "../../testkit/api-objects.ts";

const plain = new Chalk({ level: 0 });

test("an answer is shown as lines of text that no terminal obeys", () => {
  const answer = "\u001b]0;x\u0007first\r\n\tsecond \u202eline\u0000\n\n";
  const lines = "  \ufffd]0;x\ufffdfirst\n    second \ufffdline\ufffd";
  const [made] = triedDeliveryWith().tries;
  const delivery = triedDeliveryWith({ tries: [{ ...made!, answer, error: "\u001b[2J" }] });
  expect(formatDelivery(delivery, plain)).toMatch(new RegExp(`  \ufffd\\[2J\n${escape(lines)}$`));
  expect(formatTest(webhookTestWith({ answer }), plain)).toMatch(
    new RegExp(`\n\nAnswer\n${escape(lines)}$`),
  );
});

test("what did not answer, and what was not tried, is said", () => {
  const [made] = triedDeliveryWith().tries;
  const silent = { ...made!, status: null, answer: null, duration_ms: null, error: "refused" };
  expect(formatDelivery(triedDeliveryWith({ tries: [silent] }), plain)).toMatch(
    / {2}no answer {2}refused$/,
  );
  expect(formatDelivery(triedDeliveryWith({ tries: [] }), plain)).toMatch(/\n\nNo try yet\.$/);
});

function escape(text: string): string {
  return text.replaceAll(/[[\]()]/g, String.raw`\$&`);
}
