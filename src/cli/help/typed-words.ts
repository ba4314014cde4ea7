import type { CommandDescription, FlagDescription } from "./describe.ts";

/** The words after a command: its flags with their values, what looks like a flag, and arguments. */
export type Typed = {
  flags: { flag: FlagDescription; value: string | undefined }[];
  unknown: string[];
  words: string[];
};

/** Reads the words after a command as oclif's parser does: the parser does not report where it stopped. */
export function readTyped(argv: readonly string[], { flags }: CommandDescription): Typed {
  const typed: Typed = { flags: [], unknown: [], words: [] };
  const find = (word: string) =>
    flags.find(({ name, char }) =>
      word.startsWith("--") ? word.slice(2) === name : word.startsWith("-") && word[1] === char,
    );
  const left = [...argv];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [start, joined] = splitJoined(word);
    const flag = find(start);
    if (word === "--") typed.words.push(...left.splice(0));
    else if (!flag) typed[word.startsWith("-") ? "unknown" : "words"].push(word);
    else if (flag.valueName === undefined || joined !== undefined) {
      typed.flags.push({ flag, value: joined });
    } else {
      const hasValue = left[0] !== undefined && !find(left[0]);
      typed.flags.push({ flag, value: hasValue ? left.shift() : undefined });
    }
  }
  return typed;
}

/** A flag and the value joined to it: `--limit=5`, `-ojson`, `-o=json`. */
function splitJoined(word: string): [flag: string, value?: string] {
  const [, long, longValue] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  if (long !== undefined && longValue !== undefined) return [long, longValue];
  const [, short, shortValue] = /^(-[^-])=?(.+)$/s.exec(word) ?? [];
  return short !== undefined && shortValue !== undefined ? [short, shortValue] : [word];
}
