import * as Flags from "@oclif/core/flags";
import type { BooleanFlag, OptionFlag } from "@oclif/core/interfaces";
import { type Limits, toVariable } from "./checked-values.ts";

/** The properties of a flag that takes a value, beside its summary and the form of its value. */
export type More<T> = Partial<Omit<OptionFlag<T>, "summary" | "helpValue" | "type" | "multiple">>;

type Value<T, M> = M extends { default: T } | { required: true } ? T : T | undefined;

/** A flag that takes any text. */
export function textFlag<M extends More<string>>(summary: string, helpValue: string, more?: M) {
  const flag: unknown = Flags.string({ summary, helpValue, ...more } as { summary: string });
  return flag as OptionFlag<Value<string, M>>;
}

/** A flag without a value. */
export function switchFlag(summary: string, more: Partial<BooleanFlag<boolean>> = {}) {
  return Flags.boolean({ summary, ...more });
}

/** Any other text is parsed too: it is refused with its limits once all is parsed. */
const integer = Flags.custom<number, Limits>({
  parse: async (text) => (/^-?\d+$/.test(text) ? Number(text) : Number.NaN),
});

/** A flag that takes an integer, within limits where there are some. */
export function integerFlag<M extends More<number> & Limits>(
  summary: string,
  helpValue: string,
  more?: M,
) {
  const flag: unknown = integer({ summary, helpValue, ...more } as { summary: string });
  return flag as OptionFlag<Value<number, M>>;
}

/** Lets the environment set each of the flags, by the variable named after it; a typed flag wins. */
export function withVariables<F extends Record<string, object>>(flags: F): F {
  const entries = Object.entries(flags).map(([name, flag]) => {
    return [name, { ...flag, env: toVariable(name) }] as const;
  });
  return Object.fromEntries(entries) as F;
}
