import type * as z from "zod";
import { mask } from "./mask.ts";
import { findNearNames } from "../runtime/text.ts";
import { ServiceError } from "./error.ts";

/**
 * Parses a value by a schema of the contract. Errors: parameter_missing, parameter_unknown, parameter_invalid. The
 * message has all mistakes, in the order of the schema, unknown fields last; the code and the parameter are the first
 * one's.
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { issues } = result.error;
  const known = issues
    .filter(({ code }) => code !== "unrecognized_keys")
    .map((issue) => describeMistake(issue, value));
  const unknown = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ issue, key })) : [],
  );
  // A body may have thousands of unknown fields: only those that the message names are looked at.
  const mistakes = [
    ...known,
    ...unknown.slice(0, maxMistakes).map(({ issue, key }) => describeUnknown(issue, key, schema)),
  ].slice(0, maxMistakes);
  const [first] = mistakes;
  if (!first) throw new ServiceError("parameter_invalid", "The request is not valid.");
  const more = known.length + unknown.length - mistakes.length;
  const messages = [...new Set(mistakes.map(({ message }) => message))];
  if (more > 0) messages.push(`And ${more} more ${more === 1 ? "mistake" : "mistakes"}.`);
  throw new ServiceError(first.code, messages.join(" "), first.param);
}

/** How many mistakes one message names. */
const maxMistakes = 10;

type Mistake = Pick<ServiceError, "code" | "message"> & { param: string };

function describeMistake(issue: z.core.$ZodIssue, value: unknown): Mistake {
  const param = formatPath(issue.path);
  if (findValue(value, issue.path) !== undefined) {
    return { code: "parameter_invalid", message: `${param} ${issue.message}.`, param };
  }
  const message = `${param} is required; it ${issue.message}.`;
  return { code: "parameter_missing", message, param };
}

/** Of unknown fields a schema may say why there is none, in a message that begins with "is not". */
function describeUnknown(issue: z.core.$ZodIssue, key: string, schema: z.ZodType): Mistake {
  const param = formatPath([...issue.path, hideDigits(key)]);
  const near = findNear(key, listNames(schema, issue.path));
  const advice =
    near.length > 0
      ? `You may mean ${near.map((name) => formatPath([...issue.path, name])).join(" or ")}.`
      : "Check the spelling, or leave it out.";
  const message = issue.message.startsWith("is not")
    ? `${param} ${issue.message}.`
    : `${param} is not known here. ${advice}`;
  return { code: "parameter_unknown", message, param };
}

/** The names of the fields that the schema has at a path; none where it has no object there. */
function listNames(schema: z.ZodType, path: PropertyKey[]): string[] {
  const shape = findShape(schema);
  const [step, ...rest] = path;
  if (step === undefined) return [...Object.keys(shape), ...listPatterns(schema)];
  const inner = Object.hasOwn(shape, step) ? shape[String(step)] : undefined;
  return inner ? listNames(inner, rest) : [];
}

/** The names that have a key in brackets, such as `metadata[KEY]=VALUE`. */
function listPatterns(schema: z.ZodType): string[] {
  const { patternProperties = {} } = (schema.meta() ?? {}) as { patternProperties?: object };
  return Object.keys(patternProperties).map(
    (pattern) => `${pattern.slice(1, pattern.indexOf("\\["))}[KEY]=VALUE`,
  );
}

/** The fields of an object; of a schema around others, such as an optional one or a pipe, those of the one inside. */
function findShape(schema: z.ZodType): Record<string, z.ZodType> {
  const def: Partial<Record<string, unknown>> = { ...schema.def };
  if (def["type"] === "object") return def["shape"] as ReturnType<typeof findShape>;
  const inner = [def["innerType"], def["in"], def["out"]] as (z.ZodType | undefined)[];
  return Object.assign({}, ...inner.map((each) => each && findShape(each)));
}

/**
 * The names that a mistyped one may stand for: with a letter in three changed, with other brackets (`created`,
 * `created[gte]`), or a word more (`name`, `first_name`).
 */
function findNear(typed: string, names: readonly string[]): string[] {
  if (typed.length > maxNameLength) return [];
  const near = findNearNames(typed, names);
  if (near.length > 0) return near;
  const bracketed = names.filter((name) => name.startsWith(`${typed.split("[", 1)[0]}[`));
  return bracketed.length > 0 ? bracketed : names.filter((name) => name.split("_").includes(typed));
}

const maxNameLength = 100;

/** A name from the request, as an error may repeat it: cut to a length, and without secrets. */
export function maskName(name: string): string {
  return mask(name).slice(0, maxNameLength);
}

/** No field's name consists of digits, but a security code does. */
export function hideDigits(name: string): string {
  return /^[0-9]+$/.test(name) ? "…" : name;
}

/** `["card", "number"]` is written `card[number]`. */
function formatPath(path: PropertyKey[]): string {
  const [first, ...rest] = path.map((step) => maskName(String(step)));
  return (first ?? "body") + rest.map((step) => `[${step}]`).join("");
}

function findValue(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === "object" && at !== null
        ? (at as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  );
}
