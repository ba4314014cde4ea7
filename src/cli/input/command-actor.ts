import { userInfo } from "node:os";
import type { Actor } from "../../contract/activity.ts";

/** As whom a command on the service's database does things: the system's user. */
export function commandActor(): Actor {
  return { type: "command", id: null, name: userName() };
}

/** A user may have a number and no name, as in a container. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
