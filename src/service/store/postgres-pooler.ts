import { randomUUID } from "node:crypto";
import type { ClientBase } from "pg";

/** A client with the members that pg's types leave out. */
type Connection = ClientBase & { processID: number | null; end: () => Promise<void> };
type WithConnection = (work: (client: ClientBase) => Promise<boolean>) => Promise<boolean>;

/**
 * Fails behind a pooler that does not support prepared statements, where later statements would fail. Two clients,
 * one after the other, prepare a statement of the same name and run it twice: a busy pooler sends the second run to a
 * connection that does not have the statement, an idle one gives the second client the connection of the first. They
 * run one at a time, since a pool may have one connection.
 */
export async function checkStatements(withConnection: WithConnection): Promise<void> {
  const name = `payments_check_${randomUUID()}`; // unique, because a connection may have the one of an earlier check
  const probe = async (client: ClientBase) => {
    if (!(await isPooled(client, name))) return false;
    await isPooled(client, name);
    void (client as Connection).end(); // so that the next client is a new one; not awaited, because a pooler that has gone down never confirms it
    return true;
  };
  if (await withConnection(probe)) await withConnection(probe);
}

/**
 * Whether the connection leads to a pooler: a server sends a client the number of its process, a pooler one that it
 * made up.
 */
async function isPooled(client: ClientBase, name: string): Promise<boolean> {
  const text = "SELECT pg_backend_pid() AS pid";
  const { rows } = await client.query<{ pid: number }>({ name, text });
  return rows[0]?.pid !== (client as Connection).processID;
}
