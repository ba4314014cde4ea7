import { eventTypes, type EventType } from "../../../contract/event-values.ts";
import { createEndpointBody, type CreateEndpointBody } from "../../../contract/webhook-endpoint.ts";

export const endpointFormFields = ["key", "url", "description", ...eventTypes] as const;

/** The form of a new endpoint as it was sent; a type is chosen where its field holds anything. */
export type EndpointForm = Record<(typeof endpointFormFields)[number], string>;
export type EndpointMistakes = { url?: string; description?: string };

export function createEndpointForm(key: string): EndpointForm {
  const blank = Object.fromEntries(endpointFormFields.map((name) => [name, ""]));
  return { ...(blank as EndpointForm), key };
}

function chosenTypes(form: EndpointForm): EventType[] {
  return eventTypes.filter((type) => form[type] !== "");
}

/** What the form asks for, as the API is asked for it; or what is wrong with it. */
export function readEndpointForm(
  form: EndpointForm,
): { body: CreateEndpointBody } | { mistakes: EndpointMistakes } {
  const types = chosenTypes(form);
  const read = createEndpointBody.safeParse({
    url: form.url.trim(),
    description: form.description.trim() || null,
    ...(types.length > 0 && { events: types }),
  });
  if (read.success) return { body: read.data };
  const issues = read.error.issues.toReversed(); // of several in a field the first one is told
  const mistakes = issues.map(({ path, message }) => [path[0], inWords(String(path[0]), message)]);
  return { mistakes: Object.fromEntries(mistakes) as EndpointMistakes };
}

/** A refusal of the use case, which begins with the field's name in the API, as the form calls it. */
export function describeRefusal(message: string): string {
  return message.replace(/^url /, "The address ");
}

function inWords(name: string, message: string): string {
  return `The ${name === "url" ? "address" : name} ${message}.`;
}
