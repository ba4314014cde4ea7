import { program, type FlagDescription } from "../describe.ts";
import type { CompletedCommand } from "./completed-commands.ts";

/**
 * The script for bash 4 and later; it works without the bash-completion package. Two of its functions list
 * what can be typed, made from the commands; the third reads the command line.
 */
export function toBashCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completes ${program} in bash 4 and later. Made by: ${program} completion bash

# What may follow the words $1: sub-commands, flags, and those flags that take a value.
__${program}_command() {
  case "$1" in
${commands.filter(offersWords).map(toCommandCase).join("\n")}
  *) commands="" flags="" valued="" ;;
  esac
}

# The values of the flag, or of the argument counted from 0, that $1 names after its command.
__${program}_values() {
  case "$1" in
${commands.flatMap(toValueCases).join("\n")}
  *) values="" ;;
  esac
}

__${program}() {
  local words=() word current path="" expecting="" prefix="" arguments=0 at
  local commands flags valued values IFS=$' \\t\\n'
  COMPREPLY=()
  # Bash breaks words at = and : too; here they are one.
  for ((at = 1; at <= COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if ((\${#words[@]} > 0)) && [[ $word == [:=]* || \${words[\${#words[@]} - 1]} == *[:=] ]]; then
      words[\${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
  done
  current=\${words[\${#words[@]} - 1]}
  unset "words[\${#words[@]} - 1]"

  __${program}_command "$path"
  for word in "\${words[@]}"; do
    if [[ $expecting ]]; then
      expecting=""
    elif [[ $word == -* ]]; then
      [[ " $valued " == *" $word "* ]] && expecting=$word
    elif [[ " $commands " == *" $word "* ]]; then
      path+="\${path:+ }$word"
      __${program}_command "$path"
    else
      arguments=$((arguments + 1))
    fi
  done

  if [[ ! $expecting && $current == --*=* ]]; then
    expecting=\${current%%=*}
    current=\${current#*=}
    [[ $COMP_WORDBREAKS == *=* ]] || prefix="$expecting="
    [[ " $valued " == *" $expecting "* ]] || return
  fi
  if [[ $expecting ]]; then
    __${program}_values "$path $expecting"
  elif [[ $current == -* ]]; then
    values=$flags
  else
    __${program}_values "$path $arguments"
    values="\${commands:+$commands }$values"
    [[ $values || $current ]] || values=$flags current=--
  fi
  if [[ $values == "<path>" ]]; then
    compopt -o default 2>/dev/null
    return
  fi
  read -ra words <<<"$values"
  for word in "\${words[@]}"; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$prefix$word")
  done
}

complete -F __${program} ${program}
`;
}

function offersWords({ next, flags }: CompletedCommand): boolean {
  return next.length + flags.length > 0;
}

function toCommandCase({ words, next, flags }: CompletedCommand): string {
  const commands = next.map(({ name }) => name);
  const valued = flags.filter(({ valueName }) => valueName !== undefined);
  return `  ${quoted(words)}) commands=${quoted(commands)} flags=${quoted(flags.flatMap(spellings))} valued=${quoted(valued.flatMap(spellings))} ;;`;
}

function toValueCases({ words, flags, arguments: args }: CompletedCommand): string[] {
  const ofFlags = flags.flatMap((flag) => {
    const values = flag.takesPath ? ["<path>"] : flag.values;
    const names = spellings(flag).map((spelling) => quoted([...words, spelling]));
    return values.length > 0 ? [`  ${names.join(" | ")}) values=${quoted(values)} ;;`] : [];
  });
  const ofArguments = args.flatMap(({ takesPath, values: known }, at) => {
    const values = takesPath ? ["<path>"] : known;
    const name = quoted([...words, String(at)]);
    return values.length > 0 ? [`  ${name}) values=${quoted(values)} ;;`] : [];
  });
  return [...ofFlags, ...ofArguments];
}

function spellings({ name, char }: FlagDescription): string[] {
  return [`--${name}`, ...(char === undefined ? [] : [`-${char}`])];
}

function quoted(words: readonly string[]): string {
  return `'${words.join(" ").replaceAll("'", String.raw`'\''`)}'`;
}
