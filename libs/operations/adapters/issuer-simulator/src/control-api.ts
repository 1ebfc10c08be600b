import type { ServerResponse } from 'node:http';
import type { IssuerScripting } from './scripting';

type Handler = (simulator: IssuerScripting, parameters: never) => unknown;

/** `POST /sim/<name>` with the parameters as a JSON object. */
const handlers: Readonly<Record<string, Handler>> = {
  script: ({ rules }, rule: Parameters<typeof rules.add>[0]) => rules.add(rule),
  authorize: ({ network }, purchase: Parameters<typeof network.authorize>[0]) => network.authorize(purchase),
  pay: ({ network }, purchase: Parameters<typeof network.pay>[0]) => network.pay(purchase),
  clear: ({ network }, step: Parameters<typeof network.clear>[0]) => network.clear(step),
  reverse: ({ network }, step: Parameters<typeof network.reverse>[0]) => network.reverse(step),
  expire: ({ network }, step: Parameters<typeof network.expire>[0]) => network.expire(step),
  refund: ({ network }, step: Parameters<typeof network.refund>[0]) => network.refund(step),
  status: ({ network }, change: Parameters<typeof network.setStatus>[0]) => network.setStatus(change),
  confirm: (simulator, outcome: Parameters<typeof simulator.confirm>[0]) => simulator.confirm(outcome),
  hold: ({ callbacks }) => callbacks.hold(),
  release: ({ callbacks }, how: Parameters<typeof callbacks.release>[0]) => callbacks.release(how),
  heal: ({ rules }) => rules.clear(),
  state: (simulator) => simulator.state(),
};

const names = Object.keys(handlers);

/** Handles a request to the simulator's control API. */
export async function handleControlRequest(
  simulator: IssuerScripting,
  path: string,
  body: string,
  response: ServerResponse,
): Promise<void> {
  const handler = handlers[path.slice('/sim/'.length)];
  if (handler === undefined) {
    return reply(response, 404, {
      message: `Unknown path. Use one of: ${names.map((name) => `/sim/${name}`).join(', ')}.`,
    });
  }
  try {
    const parameters = (body === '' ? {} : JSON.parse(body)) as never;
    reply(response, 200, (await handler(simulator, parameters)) ?? {});
  } catch (error) {
    reply(response, 400, { message: (error as Error).message });
  }
}

function reply(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content));
}
