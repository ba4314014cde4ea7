import { randomUUID } from "node:crypto";
import type { ClientBase } from "pg";

/** What pg's types leave out. */
type Connection = ClientBase & { processID: number | null; end: () => Promise<void> };
type WithConnection = (work: (client: ClientBase) => Promise<boolean>) => Promise<boolean>;

/**
 * Fails, as what is asked later would, behind a pooler that hands its own connections around without
 * what a client has prepared. Two clients, one after the other, prepare a statement of the same name and
 * ask it twice: a busy pooler gives the second question to a connection that does not know it, an idle
 * one gives the second client the connection of the first. One at a time, since a pool may be of one.
 */
export async function checkStatements(withConnection: WithConnection): Promise<void> {
  const name = `payments_check_${randomUUID()}`; // no connection has it from an earlier check
  const ask = async (client: ClientBase) => {
    if (!(await isPooled(client, name))) return false;
    await isPooled(client, name);
    void (client as Connection).end(); // the next one is another; nobody waits for a pooler that is gone
    return true;
  };
  if (await withConnection(ask)) await withConnection(ask);
}

/** A server tells each client the number of its own process; a pooler, one that it made up. */
export async function isPooled(client: ClientBase, name?: string): Promise<boolean> {
  const text = "SELECT pg_backend_pid() AS pid";
  const { rows } = await client.query<{ pid: number }>({ text, ...(name && { name }) });
  return rows[0]?.pid !== (client as Connection).processID;
}
