import { userInfo } from "node:os";
import type { Actor } from "../../contract/activity.ts";

/** As whom a command on the service's database does things: the system's user, and who became that by sudo. */
export function getCommandActor(): Actor {
  const [person, user] = [getPersonName(), userName()];
  return { type: "command", id: null, name: person === user ? user : `${person} (${user})` };
}

/** Who runs the command, as the system knows them. */
export function getPersonName(): string {
  return process.env["SUDO_USER"] || userName();
}

/** A user may have a number and no name, as in a container. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
