import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Lets a request pass, or throws what it is refused with. Its answer may get headers either way. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;

/** Sets a guard up in an app; what it needs is loaded only by those who want it. */
export type GuardSetup = (app: FastifyInstance) => Guard;
