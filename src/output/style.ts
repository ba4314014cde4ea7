import { Chalk, supportsColor, supportsColorStderr, type ChalkInstance } from "chalk";
import { wantsPlainScreen } from "./plain-screen.ts";

/** What colours a stream takes (chalk reads NO_COLOR, FORCE_COLOR and TERM); none into a pipe. */
export function styleFor(stream: "stdout" | "stderr"): ChalkInstance {
  const support = stream === "stdout" ? supportsColor : supportsColorStderr;
  const wanted = !process.env["NO_COLOR"] && !wantsPlainScreen(process.env);
  return new Chalk({ level: support && wanted ? support.level : 0 });
}

/** A status is always a word; its colour only helps. */
export function statusIn(style: ChalkInstance, status: string): string {
  switch (status) {
    case "succeeded":
      return style.green(status);
    case "failed":
      return style.red(status);
    case "pending":
      return style.yellow(status);
    case "refunded":
      return style.cyan(status);
    default:
      return status;
  }
}
