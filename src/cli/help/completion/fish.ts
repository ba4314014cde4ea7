import { program, type FlagDescription } from "../describe.ts";
import type { CompletedCommand } from "./completed-commands.ts";

/** The script for fish: one line for each word, flag and argument, with the condition under which fish offers it. */
export function toFishCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completes ${program} in fish. Made by: ${program} completion fish

set -g __${program}_commands ${commands.map(({ words }) => quoted(words.join(" "))).join(" ")}
set -g __${program}_valued ${commands.flatMap(listValuedFlags).map(quoted).join(" ")}

# Whether the words so far are those of $argv[1], and after them so many arguments as $argv[2] says.
function __${program}_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l path ''
    set -l expecting 0
    set -l arguments 0
    for word in $words
        if test $expecting = 1
            set expecting 0
        else if string match -q -- '-*' $word
            contains -- (string trim -- "$path $word") $__${program}_valued; and set expecting 1
        else if contains -- (string trim -- "$path $word") $__${program}_commands
            set path (string trim -- "$path $word")
        else
            set arguments (math $arguments + 1)
        end
    end
    test "$path" = "$argv[1]"; or return 1
    test (count $argv) -lt 2; or test $arguments = $argv[2]
end

complete -c ${program} -f
${commands.flatMap(toCompletions).join("\n")}
`;
}

function toCompletions({ words, next, arguments: args, flags }: CompletedCommand): string[] {
  const at = words.join(" ");
  const summaries = next.map(({ name, summary }) => String.raw`${name}\t${quoted(summary)}`);
  return [
    // fish preserves an order only within one line: -k keeps the one in which a user needs them.
    ...(next.length > 0 ? [line(at, 0, `-k -a ${quoted(summaries.join(" "))}`)] : []),
    ...args.flatMap(({ takesPath, values, summary }, index) => {
      if (takesPath) return [line(at, index, "-F")];
      if (values.length === 0) return [];
      return [line(at, index, `-a ${quoted(values.join(" "))} -d ${quoted(summary)}`)];
    }),
    ...flags.map((flag) => line(at, undefined, flagOptions(flag))),
  ];
}

function line(at: string, position: number | undefined, options: string): string {
  const condition = [`__${program}_at`, `"${at}"`, ...(position === undefined ? [] : [position])];
  return `complete -c ${program} -n ${quoted(condition.join(" "))} ${options}`;
}

function flagOptions(flag: FlagDescription): string {
  const { char, name, summary, takesPath, valueName, values } = flag;
  return [
    `-l ${name}`,
    ...(char === undefined ? [] : [`-s ${char}`]),
    ...(valueName === undefined ? [] : [takesPath ? "-r -F" : "-x"]),
    ...(values.length > 0 ? [`-a ${quoted(values.join(" "))}`] : []),
    `-d ${quoted(summary)}`,
  ].join(" ");
}

function listValuedFlags({ words, flags }: CompletedCommand): string[] {
  return flags
    .filter(({ valueName }) => valueName !== undefined)
    .flatMap(({ name, char }) => [`--${name}`, char === undefined ? [] : `-${char}`].flat())
    .map((spelling) => [...words, spelling].join(" "));
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
