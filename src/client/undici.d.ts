/** The pool alone: the whole of undici takes twice as long to load. */
declare module "undici/lib/dispatcher/pool.js" {
  export { Pool as default } from "undici";
}
