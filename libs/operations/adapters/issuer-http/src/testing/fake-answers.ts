import type { ServerResponse } from 'node:http';

/** What the fake issuer needs of an order. */
export interface FakeOrder {
  readonly operationId: string;
  readonly type: string;
  readonly amount: string;
  readonly cardId?: string;
}

export interface FakeExchange {
  readonly order: FakeOrder;
  readonly response: ServerResponse;
  /** How long a slow answer takes. */
  readonly slowMs: number;
}

/** How the fake issuer can behave, and the cents of the amount that make it do so. All other cents are accepted. */
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
  closes: '88',
} as const;

export type FakeAnswer = keyof typeof centsOf;
export const fakeAnswers = Object.keys(centsOf) as readonly FakeAnswer[];

/** An amount that makes the fake issuer behave so. */
export function amountFor(answer: FakeAnswer | 'accepted'): string {
  return `100.${answer === 'accepted' ? '00' : centsOf[answer]}`;
}

export function answerTo(exchange: FakeExchange): void {
  const cents = exchange.order.amount.slice(-2);
  const answer = fakeAnswers.find((name) => centsOf[name] === cents);
  (answer ? behaviours[answer] : accept)(exchange);
}

type Behaviour = (exchange: FakeExchange) => void;

const behaviours: Readonly<Record<FakeAnswer, Behaviour>> = {
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
  withoutCard: ({ order, response }) => send(response, 200, { ...acceptedBody(order), card: undefined }),
};

function accept({ order, response }: FakeExchange): void {
  send(response, 200, acceptedBody(order));
}

function acceptedBody({ operationId, type, cardId }: FakeOrder): object {
  const card = type === 'issue' ? { reference: `fake-${cardId}`, last4: '4242' } : undefined;
  return { operationId, outcome: 'accepted', receipt: `receipt-${operationId}`, card };
}

function declinedBody({ operationId }: FakeOrder): object {
  return { operationId, outcome: 'declined', code: 'not_today', message: 'The fake issuer declines this amount.' };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
