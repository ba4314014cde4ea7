/** Where the service tells what it does; nothing secret is ever given to it. */
export type Log = {
  info: (fields: object, message: string) => void;
  error: (fields: object, message: string) => void;
};
