import * as Flags from "@oclif/core/flags";
import type { BooleanFlag, OptionFlag } from "@oclif/core/interfaces";
import { FlagError } from "../errors/command-error.ts";

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

type Limits = { min?: number; max?: number };

const integer = Flags.custom<number, Limits>({
  parse: async (text, { token }, { name, env, min, max }) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : undefined;
    const variable = token === undefined ? env : undefined;
    const refuse = (limit = "") =>
      new FlagError(name, `${variable ?? `--${name}`} must be an integer${limit}.`, variable);
    if (value === undefined) throw refuse();
    if (min !== undefined && value < min) throw refuse(` of at least ${min}`);
    if (max !== undefined && value > max) throw refuse(` of at most ${max}`);
    return value;
  },
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
