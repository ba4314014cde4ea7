import type { InferredFlags } from "@oclif/core/interfaces";
import type { UpdateEndpoint } from "../../../client/calls.ts";
import { updateEndpointBody } from "../../../contract/webhook-endpoint.ts";
import { checkId } from "../../flags/checked-values.ts";
import { eventsFlag, idArg, parseSubscription, textFlag, writeFlags } from "../../flags/flags.ts";
import { usageError } from "../../output/command-error.ts";
import { type CommandFacts, writeExits } from "../../output/command-facts.ts";
import { endpointResource } from "../../output/webhook-resources.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { type WriteFlags, withWriter } from "../../program/connection.ts";

/** The properties of an endpoint, without its URL. */
export const endpointFlags = {
  ...eventsFlag,
  description: textFlag("What the endpoint is for.", "<text>"),
};

/** The facts of a command that changes an endpoint. */
export const changeFacts: CommandFacts = {
  writes: "settings",
  repeatable: "always",
  exits: writeExits,
  output: { object: "webhook_endpoint", fields: endpointResource.fields },
};

export default class WebhooksUpdate extends BaseCommand {
  static override summary = "Change an endpoint. Only the given flags change.";
  static override examples = [
    "payments webhooks update we_0199c5a8-7f3e-7abc-9def-0123456789ab --url https://shop.example/new-hooks",
    "payments webhooks update we_0199c5a8-7f3e-7abc-9def-0123456789ab --events payment.failed --events payment.refunded",
  ];
  static override args = { id: idArg(endpointResource) };
  static override flags = {
    url: textFlag("Where events are sent.", "<url>"),
    ...endpointFlags,
    ...writeFlags(endpointResource),
  };
  static facts = changeFacts;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksUpdate);
    const change = parseEndpointRequest(flags);
    if (Object.keys(change).length === 0) {
      throw usageError("Nothing to change: give --url, --events or --description.");
    }
    await changeEndpoint(this, args.id, change, flags);
  }
}

/** Changes one endpoint, and prints it. */
export async function changeEndpoint(
  command: BaseCommand,
  typedId: string,
  change: UpdateEndpoint,
  flags: WriteFlags,
): Promise<void> {
  const output = command.parseOutput(flags, endpointResource);
  const id = checkId(endpointResource, typedId, "<id>");
  const endpoint = await withWriter(
    command,
    { flags, output },
    async ({ webhookEndpoints }, write) => webhookEndpoints.update(id, change, write),
  );
  await command.showOne(endpointResource, endpoint, output, `The endpoint ${id} was changed.`);
}

type EndpointFlags = Partial<InferredFlags<typeof endpointFlags>> & { url?: string | undefined };

/** Parses the flags of an endpoint, and refuses what the API would refuse before anything is sent. */
export function parseEndpointRequest({ url, events, description }: EndpointFlags): UpdateEndpoint {
  const body = {
    ...(url !== undefined && { url }),
    ...(events && { events: parseSubscription(events) }),
    ...(description !== undefined && { description: description || null }),
  };
  const [mistake] = updateEndpointBody.safeParse(body).error?.issues ?? [];
  if (!mistake) return body;
  throw usageError(`--${String(mistake.path[0])} ${mistake.message}. Nothing was sent.`);
}
