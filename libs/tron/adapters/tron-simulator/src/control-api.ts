import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TronScripting } from './scripting';

/** Everything that a script can do, by name. */
export type Verb = keyof TronScripting;

/** `POST /sim/<verb>` with its arguments as a JSON array, or with the only one as it is. */
const verbs: readonly Verb[] = [
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

/** Does what a request to the simulator itself asks for. */
export async function carryOut(
  scripting: TronScripting,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): Promise<void> {
  const [, name] = pathPattern.exec(request.url ?? '') ?? [];
  const verb = verbs.find((known) => known === name);
  if (!verb) return reply(response, 404, { message: `The simulator knows only: ${allPaths()}.` });
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
