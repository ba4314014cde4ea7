import type { ArgInput, FlagInput, Input, ParserOutput } from "@oclif/core/interfaces";
import { mask } from "../../contract/mask.ts";
import { quoteForShell } from "../../runtime/text.ts";
import { WrongValue } from "../errors/command-error.ts";

type Values = Record<string, unknown>;

type Parsed = Pick<ParserOutput, "flags" | "raw" | "nonExistentFlags">;

type Declared = { flags: FlagInput; args: ArgInput };

/**
 * Parses a command line with oclif, and then checks the values by what the command declares: oclif's own errors do not
 * say whose value is wrong. Errors: WrongValue; else what oclif refuses.
 */
export async function parseTyped<F extends Values, B extends Values, A extends Values>(
  input: Input<F, B, A>,
  parse: (input: Input<F, B, A>) => Promise<ParserOutput<F, B, A>>,
): Promise<ParserOutput<F, B, A>> {
  const { flags = {}, args = {}, baseFlags } = input as Input<Values, Values, Values>;
  const open = { ...input, baseFlags, flags: takeAny(flags), args: takeAny(args) } as typeof input;
  const check = (parsed: Parsed) => assertValues({ flags, args }, parsed, process.env);
  const parsed = await parse(open).catch((error: { parse?: { output?: Parsed } }) => {
    // A wrong value comes before flags that are missing or contradict each other, and before too many words.
    if (error.parse?.output) check(error.parse.output);
    throw error;
  });
  check(parsed);
  return parsed;
}

/** The declarations without the few values that some are limited to. */
function takeAny(declared: Readonly<Record<string, object>>): Record<string, object> {
  const entries = Object.entries(declared).map(([name, each]) => {
    return [name, { ...each, options: undefined }] as const;
  });
  return Object.fromEntries(entries);
}

function assertValues(declared: Declared, parsed: Parsed, env: Environment): void {
  const { raw, flags, nonExistentFlags } = parsed;
  for (const { of, setting, value, variable } of listGiven(declared, raw, env)) {
    // The value of an unknown flag is parsed as an argument: the flag is the real mistake.
    if (of === "arg" && nonExistentFlags.length > 0) continue;
    const { options } = declared[`${of}s`][setting] as { options?: readonly string[] };
    if (options && !options.includes(value)) {
      throw new WrongValue({ of, setting, value, variable });
    }
  }
  for (const [setting, { env: name, ...limits }] of Object.entries(declared.flags)) {
    const value: unknown = flags[setting];
    const limit = typeof value === "number" ? findLimit(value, limits as Limits) : undefined;
    if (limit === undefined) continue;
    const variable = isTyped(setting, raw) ? undefined : name;
    const rule = `an integer${limit}`;
    throw new WrongValue({ of: "flag", setting, value: String(value), variable, rule });
  }
}

type Given = Pick<WrongValue, "of" | "setting" | "value" | "variable">;

/** The arguments, the flags, and the variables in place of flags, each as it was given. */
function listGiven({ flags, args }: Declared, raw: Parsed["raw"], env: Environment): Given[] {
  const typed = raw.flatMap((token): Given[] => {
    const [of, setting] =
      token.type === "arg" ? (["arg", token.arg] as const) : (["flag", token.flag] as const);
    const isDeclared = setting !== undefined && Object.hasOwn(of === "arg" ? args : flags, setting);
    return isDeclared ? [{ of, setting, value: token.input, variable: undefined }] : [];
  });
  const fromVariables = Object.entries(flags).flatMap(
    ([setting, { env: variable = "" }]): Given[] => {
      const value = env[variable];
      if (!value || isTyped(setting, raw)) return [];
      return [{ of: "flag", setting, value, variable }];
    },
  );
  return [
    ...typed.filter(({ of }) => of === "arg"),
    ...typed.filter(({ of }) => of === "flag"),
    ...fromVariables,
  ];
}

/** The limits of a flag that takes an integer. */
export type Limits = { min?: number; max?: number };

/** The limit that a number breaks, as the end of a sentence; empty for what is no integer. */
function findLimit(value: number, { min, max }: Limits): string | undefined {
  if (Number.isNaN(value)) return "";
  if (min !== undefined && value < min) return ` of at least ${min}`;
  return max !== undefined && value > max ? ` of at most ${max}` : undefined;
}

/** The flags and arguments that oclif's parser has read. */
export type ParsedTokens = readonly { type: string; flag?: string; input: string }[];

export function isTyped(flag: string, raw: ParsedTokens): boolean {
  return raw.some((token) => token.type === "flag" && token.flag === flag);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names a setting as the user gave it: `--rate-limit`, or PAYMENTS_RATE_LIMIT where the variable gave the value. */
export type NameSetting = (flag: string) => string;

/** The variable of a flag: PAYMENTS_RATE_LIMIT of `rate-limit`. */
export function toVariable(flag: string): string {
  return `PAYMENTS_${flag.toUpperCase().replaceAll("-", "_")}`;
}

/** Tells flags that were typed from those that a variable gave, so that an error names what has to be changed. */
export function nameSettings(raw: ParsedTokens, env: Environment): NameSetting {
  return (flag) => (isTyped(flag, raw) || !env[toVariable(flag)] ? `--${flag}` : toVariable(flag));
}

/**
 * The hint for a variable that Kubernetes has set in every pod beside a Service, such as
 * PAYMENTS_PORT=tcp://10.0.0.1:8402 beside one named payments; undefined for any other. `instead`: what to give in its
 * place.
 */
export function explainServiceLink(
  variable: string,
  env: Environment,
  instead: string,
): string | undefined {
  if (!env[variable]?.startsWith("tcp://")) return undefined;
  const service = variable
    .replace(/_PORT$/, "")
    .toLowerCase()
    .replaceAll("_", "-");
  return `Kubernetes sets ${variable} beside a Service that is named ${service}: set enableServiceLinks to false for the pod, or give ${instead}.`;
}

/** The flags that choose the service, the mode or the account; the key itself is never in a flag. */
const targetFlags = new Set([
  "mode",
  "base-url",
  "api-key-file",
  "database",
  "account",
  "allow-http",
]);

/**
 * The flags of a command line by which another command reaches the same service in the same mode, for a shell: each
 * with a space before it. A mode that only the environment names is repeated too, since it may have been set for one
 * command, as is the `defaultMode` of a command that does not take the user's. What may hold a secret, or can be read
 * only once, is left out.
 */
export function repeatTarget(typed: ParsedTokens, env: Environment, defaultMode?: string): string {
  const given = new Map<string, string>();
  for (const { flag = "", input } of typed) if (targetFlags.has(flag)) given.set(flag, input);
  const mode = env["PAYMENTS_MODE"] ?? defaultMode;
  if (!given.has("mode") && mode !== undefined) given.set("mode", mode);
  return [...given]
    .filter(([name, value]) => value === mask(value) && !isUnrepeatable(name, value))
    .map(([name, value]) => ` --${name}${name === "allow-http" ? "" : ` ${quoteForShell(value)}`}`)
    .join("");
}

/** Standard input, which is read only once, and a database's address with a password. */
function isUnrepeatable(name: string, value: string): boolean {
  if (name === "api-key-file") return value === "-";
  return name === "database" && /@|password/i.test(value);
}
