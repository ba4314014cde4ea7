import type { ArgInput, FlagInput, Input, ParserOutput } from "@oclif/core/interfaces";
import { WrongValue } from "../errors/command-error.ts";
import type { Limits } from "./flag-kinds.ts";
import { isTyped, type Environment } from "./setting-names.ts";

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

/** The limit that a number breaks, as the end of a sentence; empty for what is no integer. */
function findLimit(value: number, { min, max }: Limits): string | undefined {
  if (Number.isNaN(value)) return "";
  if (min !== undefined && value < min) return ` of at least ${min}`;
  return max !== undefined && value > max ? ` of at most ${max}` : undefined;
}
