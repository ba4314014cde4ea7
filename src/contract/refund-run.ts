import { z } from "zod";

// What `payments refund --from` prints as JSON. The command itself imports the types alone: zod takes longer to load
// than a payment to be looked up.

const count = z.int().min(0);
/** Minor units. */
const amount = z.int().min(0);
const totals = z.record(z.string(), amount).meta({ description: "Minor units by currency." });
const run = z
  .string()
  .meta({ description: "The run's id, which a run that goes on with it is given." });

/** A line for each payment, as it happens. Of an unknown outcome the refund may have been made. */
export const refundResult = z.strictObject({
  id: z.string(),
  amount: amount.nullable(),
  currency: z.string().nullable(),
  result: z.enum(["refunded", "already", "refused", "unknown"]),
  error: z.string().nullable().meta({ description: "The error's code." }),
});
export type RefundResult = z.infer<typeof refundResult>;

/** The last line of a run. Each payment of the file is counted once. */
export const refundRun = z.strictObject({
  object: z.literal("refund_run"),
  run,
  refunded: count,
  totals,
  already: count,
  refused: z.record(z.string(), count).meta({ description: "How many, by the error's code." }),
  unknown: count,
  not_tried: count,
});
export type RefundRunJson = z.infer<typeof refundRun>;

/** The plan that `--dry-run` prints. */
export const refundPlan = z.strictObject({
  object: z.literal("refund_plan"),
  run,
  refundable: count,
  totals,
  already: count,
  not_refundable: count,
  unknown: count,
  twice: count.meta({ description: "How many more lines name a payment of the file." }),
});
export type RefundPlanJson = z.infer<typeof refundPlan>;
