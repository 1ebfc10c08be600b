import type { ServerResponse } from 'node:http';

/** The fields of an order that the simulator reads. */
export interface IssuerOrder {
  readonly operationId: string;
  readonly type: string;
  readonly amount: string;
  readonly cardId?: string;
  readonly companyId?: string;
}

export interface IssuerExchange {
  readonly order: IssuerOrder;
  readonly response: ServerResponse;
  /** How long a slow response takes. */
  readonly slowMs: number;
}

/** The behaviors of the issuer simulator, and the cents of an amount that select them. All other amounts are accepted. */
const centsOf = {
  declined: '91',
  hangs: '92',
  slow: '93',
  resets: '94',
  serverError: '95',
  redirects: '96',
  notJson: '97',
  anotherOperation: '98',
  oversized: '99',
  declinedWith200: '81',
  drips: '82',
  breaksOff: '83',
  switchesProtocols: '84',
  created: '85',
  redirectsThePost: '86',
  withoutCard: '87',
  pendingCard: '89',
  closes: '88',
} as const;

export type IssuerBehavior = keyof typeof centsOf | 'accepted';
const behaviorNames = Object.keys(centsOf) as readonly (keyof typeof centsOf)[];
export const issuerBehaviors: readonly IssuerBehavior[] = ['accepted', ...behaviorNames];

/** An amount that selects the behavior. */
export function amountFor(behavior: IssuerBehavior): string {
  return `100.${behavior === 'accepted' ? '00' : centsOf[behavior]}`;
}

/** What the issuer does with one order, and after which delay. */
export interface PlannedBehavior {
  readonly behavior: IssuerBehavior;
  readonly delayMs: number;
}

export function planByAmount({ amount = '' }: Partial<IssuerOrder>): PlannedBehavior {
  const behavior = behaviorNames.find((name) => centsOf[name] === amount.slice(-2)) ?? 'accepted';
  return { behavior, delayMs: 0 };
}

export function respond(behavior: IssuerBehavior, exchange: IssuerExchange): void {
  behaviors[behavior](exchange);
}

type Respond = (exchange: IssuerExchange) => void;

const behaviors: Readonly<Record<IssuerBehavior, Respond>> = {
  accepted: accept,
  declined: ({ order, response }) => send(response, 422, declinedBody(order)),
  declinedWith200: ({ order, response }) => send(response, 200, declinedBody(order)),
  hangs: () => undefined,
  slow: (exchange) => {
    const timer = setTimeout(() => accept(exchange), exchange.slowMs);
    exchange.response.on('close', () => clearTimeout(timer));
  },
  resets: ({ response }) => response.socket?.resetAndDestroy(),
  closes: ({ response }) => response.socket?.end(),
  serverError: ({ response }) => send(response, 500, { message: 'Internal error' }),
  created: ({ order, response }) => send(response, 201, acceptedBody(order)),
  redirects: ({ response }) => response.writeHead(302, { Location: '/elsewhere' }).end(),
  redirectsThePost: ({ response }) => response.writeHead(307, { Location: '/elsewhere' }).end(),
  notJson: ({ response }) => response.writeHead(200).end('<html>accepted</html>'),
  anotherOperation: ({ order, response }) => send(response, 200, { ...acceptedBody(order), operationId: 'another' }),
  oversized: ({ order, response }) => send(response, 200, { ...acceptedBody(order), padding: 'x'.repeat(64 * 1024) }),
  drips: ({ response }) => {
    response.writeHead(200).flushHeaders();
    const timer = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(timer));
  },
  breaksOff: ({ order, response }) => {
    const body = JSON.stringify(acceptedBody(order));
    response.writeHead(200, { 'Content-Length': body.length + 1 }).write(body, () => response.socket?.destroy());
  },
  switchesProtocols: ({ response }) => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
  },
  pendingCard: ({ order, response }) => send(response, 200, acceptedBody(order, 'pending')),
  withoutCard: ({ order, response }) => send(response, 200, { ...acceptedBody(order), card: undefined }),
};

function accept({ order, response }: IssuerExchange): void {
  send(response, 200, acceptedBody(order));
}

function acceptedBody({ operationId, type, cardId }: IssuerOrder, status?: 'pending'): object {
  const card = type === 'issue' ? { reference: referenceOf(cardId), last4: '4242', status } : undefined;
  return { operationId, outcome: 'accepted', receipt: `receipt-${operationId}`, card };
}

/** The simulator's reference of a card. */
export function referenceOf(cardId: string | undefined): string {
  return `sim-${cardId}`;
}

function declinedBody({ operationId }: IssuerOrder): object {
  return { operationId, outcome: 'declined', code: 'not_today', message: 'The simulated issuer declines this order.' };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
