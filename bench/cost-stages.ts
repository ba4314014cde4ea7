/** A stage of a request: the places in the source that make it, and what is there without it. */
export type Stage = {
  name: string;
  changes: readonly { in: string; from: string; to: string }[];
};

/** In the order in which a request meets them. A change is found as a mutation's is (test/mutations/place.ts). */
export const stages: readonly Stage[] = [
  {
    name: "accept order",
    changes: [
      {
        in: "prioritizeAccepting",
        from: "if (isDeferring) deferred.push(work); else work();",
        to: "work();",
      },
    ],
  },
  {
    name: "queue of a connection's requests",
    changes: [
      {
        in: "createHttpServer",
        from: 'server.on("request", add)',
        to: 'server.on("request", handle)',
      },
    ],
  },
  {
    name: "byte tracking",
    changes: [
      {
        in: "shedLoad",
        from: "trackBytes(app, Math.min(limits.bytes, heapBytes / 8), {",
        to: `((..._) => ({
               takeBody: () => {}, takeList: () => {}, takeResponse: () => {}, release: () => {}, isWithinLimit: () => true,
             }))(app, 0, {`,
      },
    ],
  },
  {
    name: "shares",
    changes: [
      {
        in: "shedLoad",
        from: "const inFlight = trackInFlight(app, limits.inFlight);",
        to: `app.decorateRequest("isShed", false);
             const inFlight = { count: () => 0, hasRoomFor: () => true, add: () => {}, remove: () => {} };`,
      },
    ],
  },
  {
    name: "key",
    changes: [
      {
        in: "authenticateRequest",
        from: "authenticate(service, request.headers.authorization)",
        to: "globalThis.principal ?? authenticate(service, request.headers.authorization)",
      },
      {
        in: "authenticateRequest",
        from: "request.principal = principal;",
        to: "globalThis.principal = request.principal = principal;",
      },
    ],
  },
  {
    name: "validation",
    changes: [
      {
        in: "parseRequest",
        from: "sent || schemas.query ? validate(schemas.query ?? noFields, sent ?? {}) : {}",
        to: "(schemas.query ? { limit: 10 } : {})",
      },
      {
        in: "parseRequest",
        from: "schemas.body ? validate(schemas.body, request.body ?? {}) : {}",
        to: "(request.body ?? {})",
      },
    ],
  },
  {
    name: "idempotency",
    changes: [
      {
        in: "createRouteKinds",
        from: "request.key = toIdempotentRequest(reply.request);",
        to: "",
      },
    ],
  },
  {
    name: "decision",
    changes: [
      {
        in: "decideAtOnce",
        from: "await network.charge(toCharge({ scope, payment: draft, charge }), card)",
        to: "undefined",
      },
      {
        in: "decideAtOnce",
        from: "nextChargeStep({ payment, charge }, answer, service.clock())",
        to: '({ payment, charge: { challengeUrl: null, pendingAction: "none", reference: "" } })',
      },
    ],
  },
  {
    name: "store",
    changes: [
      {
        in: "createPaymentStore",
        from: "return search.follow(writeShared(driver, shareCreation(item), accountId), () => made);",
        // The first ones are stored, since they are read.
        to: `if ((globalThis.stored = (globalThis.stored ?? 0) + 1) > 10) return Promise.resolve((make(), { outcome: "written" }));
             return search.follow(writeShared(driver, shareCreation(item), accountId), () => made);`,
      },
      {
        in: "createPaymentStore",
        from: "findPayment: (scope: Scope, id: string): Promise<PaymentJson | undefined> =>",
        to: "findPayment: (scope, id) => globalThis.found ??=",
      },
      {
        in: "createPaymentStore",
        from: "filter ? search.findPage(",
        to: "globalThis.listed ??= filter ? search.findPage(",
      },
      {
        in: "createIdempotencyStore",
        from: "readOne(driver, selectIdempotencyRecord(scope, key, nowMs), scope.accountId)",
        to: "undefined",
      },
    ],
  },
  {
    name: "event",
    changes: [
      {
        in: "enqueueDeliveries",
        from: "return splitIntoSets(events)",
        to: "return []; return splitIntoSets(events)",
      },
    ],
  },
  {
    name: "log of requests",
    changes: [
      {
        in: "createApp",
        from: "toStoredRequest(request, reply, service.requestLog)",
        to: "undefined",
      },
    ],
  },
  {
    name: "index and its process",
    changes: [
      {
        in: "createIndexProcessJob",
        from: "if (!(await isAny())) return;",
        to: "if (isAny !== undefined) return;",
      },
    ],
  },
  {
    name: "metrics",
    changes: [
      { in: "logClosed", from: "observe?.(completed);", to: "" },
      {
        in: "createStoreMetrics",
        from: "committed: (writes: number) => commits.observe([], writes),",
        to: "",
      },
      {
        in: "createStoreMetrics",
        from: "entries.map(([name, method]) => [name, timeOperation(name, method)])",
        to: "entries",
      },
      {
        in: "serve",
        from: "onStatus: metrics.store.countStatus,",
        to: "",
      },
    ],
  },
  {
    name: "log line",
    changes: [
      {
        in: "logClosed",
        from: 'if (!isQuiet(request, completed)) log?.info(toLogFields(request, completed), "request");',
        to: "",
      },
    ],
  },
  {
    name: "response headers",
    changes: [
      { in: "createGuardedApp", from: 'reply.header("service-request-id", request.id);', to: "" },
      {
        in: "createGuardedApp",
        from: "if (page) reply.headers(page.headers(publicUrl()));",
        to: "",
      },
      {
        in: "authenticateRequest",
        from: 'reply.header("service-version", principal.defaultVersion);',
        to: "",
      },
    ],
  },
];
