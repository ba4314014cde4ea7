import { Command } from "@oclif/core/command";
import { showHelp } from "../help/show-help.ts";

/** A topic by itself, such as `payments keys`, shows the help of its commands. */
export abstract class TopicCommand extends Command {
  protected abstract readonly topic: string;

  async run(): Promise<void> {
    await this.parse(this.ctor);
    showHelp([this.topic]);
  }
}
