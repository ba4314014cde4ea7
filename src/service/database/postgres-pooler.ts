import { randomUUID } from "node:crypto";
import type { ClientBase } from "pg";

/** A client with the members that pg's types leave out. */
type Connection = ClientBase & { processID: number | null; end: () => Promise<void> };
type WithConnection = <T>(work: (client: ClientBase) => Promise<T>) => Promise<T>;
type Probed = { isPooled: boolean; isSharded: boolean };

/**
 * Fails behind a pooler that does not support prepared statements, where later statements would fail. Two clients,
 * one after the other, prepare a statement of the same name and run it twice: a busy pooler sends the second run to a
 * connection that does not have the statement, an idle one gives the second client the connection of the first. They
 * run one at a time, since a pool may have one connection. Returns whether the database is Citus, which spreads
 * accounts over several servers.
 */
export async function checkServer(withConnection: WithConnection): Promise<{ isSharded: boolean }> {
  const name = `payments_check_${randomUUID()}`; // unique, because a connection may have the one of an earlier check
  const probe = async (client: ClientBase) => {
    const first = await ask(client, name);
    if (!first.isPooled) return first;
    await ask(client, name);
    void (client as Connection).end(); // so that the next client is a new one; not awaited, because a pooler that has gone down never confirms it
    return first;
  };
  const { isPooled, isSharded } = await withConnection(probe);
  if (isPooled) await withConnection(probe);
  return { isSharded };
}

/**
 * Asks for the number of the server's process: a server sends a client the number of its process, a pooler one that
 * it made up.
 */
async function ask(client: ClientBase, name: string): Promise<Probed> {
  const text =
    "SELECT pg_backend_pid() AS pid, to_regclass('pg_dist_partition') IS NOT NULL AS is_sharded";
  const { rows } = await client.query<{ pid: number; is_sharded: boolean }>({ name, text });
  const [row] = rows;
  return {
    isPooled: row?.pid !== (client as Connection).processID,
    isSharded: row?.is_sharded ?? true,
  };
}
