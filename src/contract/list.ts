import * as z from "zod";
import { integer } from "./field-schemas.ts";
import { maxPageSize } from "./field-values.ts";

/** A query parameter that holds an integer; a query carries it as text. */
function integerText(min: number, max: number, phrase: string) {
  return z
    .string({ error: phrase })
    .regex(/^(?:0|[1-9][0-9]{0,15})$/, { error: phrase })
    .transform(Number)
    .pipe(integer(min, max, phrase));
}

const timestamp = () =>
  integerText(
    0,
    Number.MAX_SAFE_INTEGER,
    "must be a Unix timestamp in seconds, such as 1767225600",
  );

/** A page of what is listed, newest first (specification: List object). */
export function listOf<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      object: z.literal("list"),
      url: z.string(),
      data: z.array(item).meta({ maxItems: maxPageSize }),
      has_more: z.boolean(),
    })
    .meta({ id });
}

/** A page of `Item`s, newest first. */
export type List<Item> = ListPart<Item> & { url: string };

/** A page of a list that is at no address. */
export type ListPart<Item> = { object: "list"; data: Item[]; has_more: boolean };

/** The query of every list: cursors are ids, and `filters` are the list's own parameters. */
export function listQuery<Filters extends z.ZodRawShape>(id: z.ZodString, filters: Filters) {
  return useOneCursor(z.strictObject({ ...cursors(id), ...filters }));
}

export function cursors(id: z.ZodString) {
  return {
    limit: integerText(1, maxPageSize, `must be an integer from 1 to ${maxPageSize}`).optional(),
    starting_after: id.optional(),
    ending_before: id.optional(),
  };
}

type Cursors = { starting_after?: unknown; ending_before?: unknown };

export function useOneCursor<Query extends z.ZodObject>(query: Query) {
  return query.refine(
    ({ starting_after: after, ending_before: before }: Cursors) => !(after && before),
    {
      path: ["ending_before"],
      error: "must not be used together with starting_after: send one of them",
    },
  );
}

/** Narrows a list by time of creation. */
export const createdRange = {
  "created[gte]": timestamp().optional(),
  "created[lt]": timestamp().optional(),
};

/** The texts of fields that many schemas have. */
export const listTexts = {
  id: "Identifies it.",
  object: "What kind of object it is.",
  created: "When it was created, in Unix seconds.",
  livemode: "True in live mode, false in test mode.",
  url: "The path of the list.",
  data: "The page, newest first.",
  has_more: "Whether there are more in the direction of travel.",
};

/** The texts and examples of query parameters in the API's description. */
export const listParameters = {
  limit: { text: "How many to return at most. By default 10.", example: 25 },
  starting_after: {
    text: "The id of an object that exists: returns what comes after it, which is older. Not together with `ending_before`.",
  },
  ending_before: {
    text: "The id of an object that exists: returns what comes before it, which is newer. Not together with `starting_after`.",
  },
  "created[gte]": {
    text: "Only those created at this time or later, in Unix seconds.",
    example: 1_793_491_200,
  },
  "created[lt]": {
    text: "Only those created before this time, in Unix seconds.",
    example: 1_796_083_200,
  },
};
