import { once } from "node:events";
import { connect } from "node:net";
import type { Answer } from "../app/open-app.ts";

/**
 * A TCP connection to the service that sends exactly the given text, and reads the answers one by
 * one. `ended` resolves when the service closes the connection, with what was not read yet.
 */
export async function rawConnection(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  let isOver = false;
  const ended = new Promise<string>((resolve) => {
    socket.once("close", () => {
      isOver = true;
      resolve(received);
    });
  });
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => (received += chunk));
  socket.on("error", () => {}); // a reset counts as an end
  await once(socket, "connect");

  /** The next answer, in full. */
  async function answer(): Promise<Answer> {
    for (;;) {
      const next = parseFirstAnswer(received);
      if (next) {
        received = received.slice(next.length);
        return next.answer;
      }
      if (isOver) throw new Error(`The connection ended after ${JSON.stringify(received)}`);
      await Promise.race([once(socket, "data"), ended]);
    }
  }

  return {
    socket,
    ended,
    answer,
    send: (text: string | Buffer) => void socket.write(text),
    close: () => void socket.destroy(),
  };
}

/** Sends one request, its head in lines, and reads its answer. */
export async function rawAnswer(
  url: string,
  lines: string[],
  body: string | Buffer = "",
): Promise<Answer> {
  const connection = await rawConnection(url);
  try {
    connection.send(
      Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), Buffer.from(body)]),
    );
    return await connection.answer();
  } finally {
    connection.close();
  }
}

function parseFirstAnswer(text: string): { answer: Answer; length: number } | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const length = end + 4 + Number(headers["content-length"] ?? 0);
  if (text.length < length) return undefined;
  const body = Buffer.from(text.slice(end + 4, length), "latin1").toString();
  return { answer: { status: Number(first.split(" ")[1]), headers, text: body }, length };
}
