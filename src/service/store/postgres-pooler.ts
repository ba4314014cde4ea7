import { randomUUID } from "node:crypto";
import type { ClientBase } from "pg";

/** pg's types leave this out. */
type Connection = ClientBase & { processID: number | null; end: () => Promise<void> };
type WithConnection = (work: (client: ClientBase) => Promise<boolean>) => Promise<boolean>;

/**
 * Fails, as later statements would, behind a pooler that passes its connections around without
 * the statements that a client has prepared. Two clients, one after the other, prepare a statement of the same name and
 * ask it twice: a busy pooler gives the second question to a connection that does not know it, an idle
 * one gives the second client the connection of the first. One at a time, since a pool may be of one.
 */
export async function checkStatements(withConnection: WithConnection): Promise<void> {
  const name = `payments_check_${randomUUID()}`; // no connection has it from an earlier check
  const probe = async (client: ClientBase) => {
    if (!(await isPooled(client, name))) return false;
    await isPooled(client, name);
    void (client as Connection).end(); // the next one is another; a pooler that is gone never confirms it
    return true;
  };
  if (await withConnection(probe)) await withConnection(probe);
}

/** Whether a pooler is between: a server sends each client the number of its process, a pooler one that it made up. */
async function isPooled(client: ClientBase, name: string): Promise<boolean> {
  const text = "SELECT pg_backend_pid() AS pid";
  const { rows } = await client.query<{ pid: number }>({ name, text });
  return rows[0]?.pid !== (client as Connection).processID;
}
