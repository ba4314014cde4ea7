import { parsePrinted, runPayments } from "./run-payments.ts";

/** What `payments help --json` prints (docs/help.schema.json). */
export type HelpJson = { commands: CommandJson[] };

export type CommandJson = {
  id: string;
  args: { name: string; values: string[]; required: boolean }[];
  flags: FlagJson[];
  writes: string;
  repeatable: string | { with: string };
  exit_codes: { code: number; meaning: string }[];
  output: OutputJson | null;
  variants: { flag: string; repeatable: string | { with: string }; outputs: OutputJson[] }[];
  examples: string[];
};

type OutputJson = { object: string | null; fields: string[] };

type FlagJson = {
  name: string;
  char: string | null;
  type: "boolean" | "string";
  values: string[];
  default: string | null;
  required: boolean;
  repeatable: boolean;
  excludes: string[];
  needs: string[][];
};

/** The help of a command or a group, by its words, or of all, as a program reads it. */
export async function helpJson(...words: string[]): Promise<HelpJson> {
  return parsePrinted(await runPayments(["help", ...words, "--json"])) as HelpJson;
}
