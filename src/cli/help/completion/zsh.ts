import { program, type ArgumentDescription, type FlagDescription } from "../describe.ts";
import type { CompletedCommand } from "./completed-commands.ts";

/**
 * The script for zsh: one function for each command, in the language of `_arguments`. It can be sourced, or
 * stored as `_payments` in a folder of `$fpath`.
 */
export function toZshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef ${program}
# Completes ${program} in zsh. Made by: ${program} completion zsh

${commands.map(toFunction).join("\n\n")}

# Loaded from $fpath it runs as the completion; sourced, it only registers it.
if [[ $funcstack[1] == _${program} ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;
}

function toFunction(command: CompletedCommand): string {
  return command.next.length > 0 ? toGroupFunction(command) : toCommandFunction(command);
}

function toCommandFunction({ words, flags, arguments: args }: CompletedCommand): string {
  return `${nameOf(words)}() {
  _arguments -s -S${lines([...flags.flatMap(flagSpecs), ...args.map(argumentSpec)])}
}`;
}

function toGroupFunction({ words, next, flags }: CompletedCommand): string {
  const summaries = next.map(({ name, summary }) => quoted(`${escaped(name)}:${summary}`));
  return `${nameOf(words)}() {
  local curcontext=$curcontext state
  local -a line commands
  local -A opt_args
  _arguments -C -S${lines([...flags.flatMap(flagSpecs), quoted("1: :->command"), quoted("*:: :->rest")])}
  case $state in
    command)
      commands=(${lines(summaries, 8)}
      )
      _describe -V command commands
      ;;
    rest)
      curcontext="\${curcontext%:*:*}:${[program, ...words].join("-")}-$line[1]:"
      case $line[1] in
${next.map(({ name }) => `        ${name}) ${nameOf([...words, name])} ;;`).join("\n")}
      esac
      ;;
  esac
}`;
}

/** `_arguments` reads `--flag=[summary]:value:(a b)`; a flag with a letter has one line for each spelling. */
function flagSpecs(flag: FlagDescription): string[] {
  const { name, char, summary, repeatable, valueName } = flag;
  const value = valueName === undefined ? "" : `:${escaped(valueName)}:${action(flag)}`;
  const spec = `[${escaped(summary)}]${value}`;
  const joined = valueName === undefined ? "" : "=";
  const long = `--${name}${joined}`;
  if (name === "help" || name === "version") {
    const names = char === undefined ? [long] : [`-${char}`, long];
    return names.map((each) => quoted(`(- *)${each}${spec}`));
  }
  if (char !== undefined) {
    const others = repeatable ? "*" : `(-${char} --${name})`;
    const letter = `-${char}${valueName === undefined ? "" : "+"}`;
    return [quoted(`${others}${letter}${spec}`), quoted(`${others}${long}${spec}`)];
  }
  return [quoted(`${repeatable ? "*" : ""}${long}${spec}`)];
}

function argumentSpec(argument: ArgumentDescription): string {
  const { name, required, repeatable, takesPath, values } = argument;
  const prefix = repeatable ? "*:" : required ? ":" : "::";
  // An empty list, not a mere message: after a message zsh would not complete a flag here.
  const files = takesPath ? "_files" : `(${values.join(" ") || " "})`;
  return quoted(`${prefix}${escaped(name)}:${files}`);
}

function action({ takesPath, values }: FlagDescription): string {
  if (takesPath) return "_files";
  return values.length > 0 ? `(${values.join(" ")})` : " ";
}

function nameOf(words: readonly string[]): string {
  return ["", program, ...words].join("_");
}

function lines(specs: string[], indent = 4): string {
  const start = indent === 4 ? " \\\n" : "\n";
  return specs.map((spec) => `${start}${" ".repeat(indent)}${spec}`).join("");
}

function escaped(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, String.raw`\$&`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
