import { BaseCommand } from "../../program/base-command.ts";
import { requestResource } from "../../output/request-resource.ts";
import { checkId } from "../../flags/checked-values.ts";
import { idArg, readFlags } from "../../flags/flags.ts";
import { retrieveOnceLogged, withReader } from "../../program/connection.ts";
import { describeReading } from "../../output/command-facts.ts";

export default class LogsGet extends BaseCommand {
  static override summary = "Show one request that the service logged.";
  static override description =
    "An error ends with the id of its request; responses have it as Service-Request-Id.";
  static override examples = [
    "payments logs get req_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments logs get req_0199c5a8-7f3e-7abc-9def-0123456789ab --json | jq .error.param",
  ];
  static override args = { id: idArg(requestResource) };
  static override flags = readFlags(requestResource);
  static facts = describeReading("GET /v1/requests/:id");

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LogsGet);
    const output = this.parseOutput(flags, requestResource);
    const id = checkId(requestResource, args.id, "<id>");
    const request = await withReader(this, flags, async ({ requests }) =>
      retrieveOnceLogged(this, id, async () => requests.retrieve(id)),
    );
    await this.showOne(requestResource, request, output);
  }
}
