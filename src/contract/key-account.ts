import * as z from "zod";

/** What a key is told of its account; `livemode` is the key's. */
export const keyAccount = z
  .object({
    id: z.string(),
    object: z.literal("account"),
    name: z.string(),
    default_version: z.string(),
    livemode: z.boolean(),
  })
  .meta({ id: "Account" });
export type KeyAccount = z.infer<typeof keyAccount>;
