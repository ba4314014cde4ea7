import { userInfo } from "node:os";

/** As whom a command on the service's database does things: the system's user, and who became that by sudo. */
export function getCommandActor() {
  const [person, user] = [getPersonName(), userName()];
  const name = person === user ? user : `${person} (${user})`;
  return { type: "command", id: null, name } as const;
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
