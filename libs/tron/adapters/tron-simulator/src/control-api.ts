import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TronScripting } from './scripting';

/** The names of all scripting commands. */
export type Verb = keyof TronScripting;

/** `POST /sim/<verb>` with the arguments as a JSON array, or with a single argument as JSON. */
export const verbs: readonly Verb[] = [
  'mine',
  'mineEmpty',
  'pay',
  'fill',
  'solidify',
  'fork',
  'setTime',
  'fault',
  'lagBehind',
  'throttle',
  'heal',
  'state',
];

const pathPattern = /^\/sim\/(\w+)$/;

/** Handles a request to the simulator's control API. */
export async function handleControlRequest(
  scripting: TronScripting,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): Promise<void> {
  const [, name] = pathPattern.exec(request.url ?? '') ?? [];
  const verb = verbs.find((known) => known === name);
  if (!verb) return reply(response, 404, { message: `Unknown path. Use one of: ${allPaths()}.` });
  const parsed: unknown = body === '' ? [] : JSON.parse(body);
  const given = Array.isArray(parsed) ? parsed : [parsed];
  const carry = scripting[verb] as (...parameters: readonly unknown[]) => unknown;
  reply(response, 200, (await carry.apply(scripting, given)) ?? {});
}

function allPaths(): string {
  return verbs.map((verb) => `/sim/${verb}`).join(', ');
}

function reply(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content));
}
