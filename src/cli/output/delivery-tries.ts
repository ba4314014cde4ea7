import type { ChalkInstance } from "chalk";
import type { DeliveryDetails, DeliveryTry, WebhookTest } from "../../contract/delivery.ts";
import { colorStatus, formatLocalTime } from "./style.ts";
import { escapeControls, escapeLines } from "../../runtime/text.ts";
import { formatDetails } from "./table.ts";

const gap = "  ";

/** Formats a delivery, and below it each try with the beginning of its answer. */
export function formatDelivery(delivery: DeliveryDetails, style: ChalkInstance): string {
  const {
    id,
    event,
    endpoint,
    type,
    status,
    attempts,
    next_attempt_at: next,
    created,
    tries,
  } = delivery;
  const facts = formatDetails(
    [
      ["Delivery", escapeControls(id)],
      ["Event", escapeControls(event)],
      ["Endpoint", endpoint && escapeControls(endpoint)],
      ["Type", escapeControls(type)],
      ["Status", colorStatus(style, status)],
      ["Attempts", String(attempts)],
      ["Next attempt", next === null ? undefined : formatLocalTime(next)],
      ["Created", formatLocalTime(created)],
    ],
    style,
  );
  if (tries.length === 0) return `${facts}\n\nNo try yet.`;
  return [facts, ...tries.map((each) => formatTry(each, style))].join("\n\n");
}

function formatTry(each: DeliveryTry, style: ChalkInstance): string {
  const { created, status, duration_ms: durationMs, error, answer } = each;
  const words = [
    formatLocalTime(created),
    formatStatus(status, style),
    durationMs === null ? undefined : `${durationMs} ms`,
    error === null ? undefined : escapeControls(error),
  ];
  return [words.filter((word) => word !== undefined).join(gap), ...formatAnswer(answer)].join("\n");
}

/** Formats the outcome of a test. */
export function formatTest(test: WebhookTest, style: ChalkInstance): string {
  const facts = formatDetails(
    [
      ["Event", escapeControls(test.event)],
      ["Status", formatStatus(test.status, style)],
      ["Took", `${test.duration_ms} ms`],
      ["Error", test.error === null ? undefined : escapeControls(test.error)],
    ],
    style,
  );
  const lines = formatAnswer(test.answer);
  return lines.length === 0 ? facts : [facts, "", style.dim("Answer"), ...lines].join("\n");
}

function formatStatus(status: number | null, style: ChalkInstance): string {
  if (status === null) return style.red("no answer");
  return status >= 200 && status < 300 ? style.green(String(status)) : style.red(String(status));
}

/** The lines of an answer, indented; none of one without text. */
function formatAnswer(answer: string | null): string[] {
  if (answer === null || answer.trim() === "") return [];
  return escapeLines(answer).map((line) => `${gap}${line}`.trimEnd());
}
