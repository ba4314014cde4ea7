import { userInfo } from "node:os";

/** The actor of a command in the audit log: the system's user, and the user behind sudo. */
export function getCommandActor() {
  const [person, user] = [getPersonName(), getUserName()];
  const name = person === user ? user : `${person} (${user})`;
  return { type: "command", id: null, name } as const;
}

/** The name of the person who runs the command, who may have become another user with sudo. */
export function getPersonName(): string {
  return process.env["SUDO_USER"] || getUserName();
}

/** In a container a user may have a number but no name. */
function getUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
