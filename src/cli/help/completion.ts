import { agentsTopic, helpTopics, listSubcommands } from "./command-tree.ts";
import {
  helpFlag,
  listCommands,
  program,
  versionFlag,
  type CommandDescription,
  type FlagDescription,
} from "./describe.ts";

/** Printed instead of words where a file is to be named. */
const anyPath = "<path>";

type Candidate = { name: string; summary?: string };

/**
 * Prints what may stand in place of the last word typed, one a line, with its summary behind a tab. `listContexts` reads
 * the names of contexts, where one may stand.
 */
export async function printCompletions(
  typed: readonly string[],
  listContexts: () => Promise<Candidate[]>,
): Promise<void> {
  const paths = typed[0] === "api" ? await listApiWords(typed) : [];
  const offered = await listCandidates(typed, listCommands(), listContexts, paths);
  for (const { name, summary } of offered) {
    process.stdout.write(summary === undefined ? `${name}\n` : `${name}\t${summary}\n`);
  }
}

/** `others`: what may stand for an argument beside what the command itself says. */
export async function listCandidates(
  typed: readonly string[],
  commands: readonly CommandDescription[],
  listContexts: () => Promise<Candidate[]> = async () => Promise.resolve([]),
  others: readonly Candidate[] = [],
): Promise<Candidate[]> {
  const path: string[] = [];
  let flags = [helpFlag, versionFlag];
  let command: CommandDescription | undefined;
  let argumentCount = 0;
  let valued: FlagDescription | undefined;
  for (const word of typed.slice(0, -1)) {
    const named = flags.find((flag) => toSpellings(flag).includes(word));
    if (valued) valued = undefined;
    else if (word.startsWith("-")) valued = named?.valueName === undefined ? undefined : named;
    else if (listNextWords(path, commands).some(({ name }) => name === word)) {
      path.push(word);
      command = commands.find(({ words }) => words.join(" ") === path.join(" "));
      flags = [...(command?.flags ?? [])];
    } else argumentCount++;
  }
  const current = typed.at(-1) ?? "";
  const [start, name] = /^--([^=]+)=/.exec(current) ?? [""];
  const joined = flags.find((flag) => flag.name === name);
  const listValues = async (of: Valued | undefined): Promise<Candidate[]> => {
    const isContext = of?.name === "context" || (path[0] === "context" && of?.name === "name");
    const values = isContext ? await listContexts() : toCandidates(of);
    return values.map((each) => Object.assign(each, { name: toWord(start, each.name) }));
  };
  const next = [
    ...listNextWords(path, commands),
    ...(await listValues(command?.arguments[argumentCount])),
    ...others,
  ];
  const spelled = flags.flatMap((flag) =>
    toSpellings(flag).map((spelling) => ({ name: spelling, summary: flag.summary })),
  );
  const isFlag = current.startsWith("-");
  const offered =
    valued || start
      ? await listValues(valued ?? joined)
      : isFlag || (next.length === 0 && current === "")
        ? spelled.filter((each) => isFlag || each.name.startsWith("--"))
        : next;
  return offered.filter((each) => each.name === anyPath || each.name.startsWith(current));
}

/** A value behind its flag and `=`; a path is completed by the shell. */
function toWord(start: string, value: string): string {
  return value === anyPath ? anyPath : start + value;
}

/** The methods and paths of the API, with the ids that were typed, else ID. */
async function listApiWords(typed: readonly string[]): Promise<Candidate[]> {
  const { endpoints } = await import("../../contract/responses.ts");
  const current = typed.at(-1)?.split("/") ?? [];
  const all = endpoints.map((endpoint) => endpoint.split(" "));
  const methods = [...new Set(all.map(([method = ""]) => method))];
  const before = methods.find((method) => typed.length > 2 && typed[1]?.toUpperCase() === method);
  const paths = all
    .filter(([method]) => before === undefined || method === before)
    .map(([, path = ""]) =>
      path
        .split("/")
        .map((part, at) => (part.startsWith(":") ? current[at] || "ID" : part))
        .join("/"),
    );
  const names = before === undefined ? [...methods, ...new Set(paths)] : [...new Set(paths)];
  return names.map((name) => ({ name }));
}

type Valued = { name: string; values: readonly string[]; takesPath: boolean };

function toCandidates(of: Valued | undefined): Candidate[] {
  if (of?.takesPath) return [{ name: anyPath }];
  return (of?.values ?? []).map((name) => ({ name }));
}

/** `help` is followed by the words of any command, or by a topic. */
function listNextWords(
  path: readonly string[],
  commands: readonly CommandDescription[],
): Candidate[] {
  const isHelp = path[0] === "help";
  const below = listSubcommands(isHelp ? path.slice(1) : path, commands);
  const words = below.map(({ words: all, summary }) => ({ name: all.at(-1) ?? "", summary }));
  return isHelp && path.length === 1 ? [...words, ...helpTopics, agentsTopic] : words;
}

function toSpellings({ name, char }: FlagDescription): string[] {
  return [`--${name}`, ...(char === undefined ? [] : [`-${char}`])];
}

/** The scripts of the shells, which ask the command at each press of TAB. */
export const completionScripts = {
  bash: `# Completes ${program} in bash 4 and later. Made by: ${program} completion bash
__${program}() {
  local words=() word at lines IFS=$'\\n'
  # Bash breaks words at = and : too; here they are one.
  for ((at = 1; at <= COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if ((\${#words[@]} > 0)) && [[ $word == [:=]* || \${words[\${#words[@]} - 1]} == *[:=] ]]; then
      words[\${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
  done
  word=\${words[\${#words[@]} - 1]}
  COMPREPLY=()
  mapfile -t lines < <(${program} __complete "\${words[@]}" 2>/dev/null)
  if [[ \${lines[0]} == "${anyPath}" ]]; then
    compopt -o default 2>/dev/null
    return
  fi
  for at in "\${lines[@]}"; do
    at=\${at%%$'\\t'*}
    # Bash replaces only what follows the last break.
    [[ $word == --*=* && $COMP_WORDBREAKS == *=* ]] && at=\${at#*=}
    COMPREPLY+=("$at")
  done
}
complete -F __${program} ${program}
`,
  zsh: `#compdef ${program}
# Completes ${program} in zsh. Made by: ${program} completion zsh
_${program}() {
  local -a found
  found=("\${(@f)$(${program} __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == "${anyPath}" ]]; then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    _files
    return
  fi
  # _describe reads a colon between a word and its summary.
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  _describe -V ${program} found
}

# Loaded from $fpath it runs as the completion; sourced, it only registers it.
if [[ $funcstack[1] == _${program} ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`,
  fish: `# Completes ${program} in fish. Made by: ${program} completion fish
function __${program}
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found (${program} __complete $words[2..] "$current" 2>/dev/null)
    if test "$found[1]" = "${anyPath}"
        set -l start (string match -r -- '^--[^=]+=' "$current")
        printf '%s\\n' "$start"(__fish_complete_path (string replace -- "$start" '' "$current"))
    else
        printf '%s\\n' $found
    end
end
complete -c ${program} -f
complete -c ${program} -k -a '(__${program})'
`,
};
