import { randomUUID } from 'node:crypto';
import { ApiClient, type ApiResponse, utcDate } from './client';
import { until } from './until';
import { issue, type Order, unload } from './orders';

export interface Operation {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly amount: string;
  readonly fee: string;
  readonly total: string;
  readonly result: { readonly cardId?: string; readonly receipt?: string };
  readonly failure?: { readonly code: string; readonly message: string };
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface BulkResult {
  readonly idempotencyKey?: string;
  readonly status: number;
  readonly replayed?: true;
  readonly operation?: Operation;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface Card {
  readonly id: string;
  readonly name: string;
  readonly holderId: string;
  readonly last4: string;
  readonly status: string;
  readonly balance: string;
  readonly available: string;
  readonly productId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Entry {
  readonly kind: string;
  readonly reference: string;
  readonly description: string;
  readonly amount: string;
  readonly balance: string;
  readonly availableDelta: string;
  readonly heldDelta: string;
}

export interface Invoice {
  readonly id: string;
  readonly environment: string;
  readonly status: string;
  readonly depositAmount: string;
  readonly fee: string;
  readonly creditAmount: string;
  readonly address: string;
  readonly payAmount: string;
  readonly asset: string;
  readonly network: string;
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly paymentUrl: string;
  readonly settlement?: { readonly transactionId: string; readonly blockNumber: number; readonly blockTime: string };
}

export interface Listed<Item> {
  readonly data: readonly Item[];
  readonly nextCursor?: string;
}

const ended = ['completed', 'failed', 'manual_review'];

/** A company's API client, with one key of one environment. */
export class Account extends ApiClient {
  /** The same client for a Florin that was restarted at another address. */
  movedTo(baseUrl: string, isPatient?: boolean): Account {
    return new Account(baseUrl, this.key, isPatient);
  }

  operate(order: object, idempotencyKey: string = randomUUID()): Promise<ApiResponse> {
    return this.post('/api/v1/operations', order, { 'Idempotency-Key': idempotencyKey });
  }

  /** Requests operations in one request, and repeats it after a 503: the key of each operation makes that safe. */
  async operateInBulk(operations: readonly object[]): Promise<readonly BulkResult[]> {
    const send = () => this.post('/api/v1/operations/bulk', { operations });
    const response = await until('the bulk request is available', send, ({ status }) => status !== 503, 60_000);
    return expectBody<{ results: BulkResult[] }>(response, 200).results;
  }

  /** Requests an operation that must be accepted. */
  async order(order: Order): Promise<Operation> {
    return expectBody<Operation>(await this.operate(order), 201);
  }

  /** Requests an operation and waits until it ends. */
  async outcomeOf(order: Order): Promise<Operation> {
    return this.untilEnded((await this.order(order)).id);
  }

  async operation(id: string): Promise<Operation> {
    return expectBody<Operation>(await this.get(`/api/v1/operations/${id}`), 200);
  }

  /** Waits until the operation is completed, failed or in review. */
  untilEnded(id: string, timeoutMs?: number): Promise<Operation> {
    const isEnded = ({ status }: Operation): boolean => ended.includes(status);
    return until(`operation ${id} has ended`, () => this.operation(id), isEnded, timeoutMs);
  }

  async newHolder(externalId: string = randomUUID()): Promise<string> {
    const person = { name: 'Edith Example', email: 'edith@example.com', kind: 'individual', externalId };
    return expectBody<{ id: string }>(await this.post('/api/v1/holders', person), 201).id;
  }

  /** Issues a card and waits for it. */
  async newCard(holderId: string, amount?: string, fields?: Partial<Order>): Promise<string> {
    const { status, result } = await this.outcomeOf(issue(holderId, amount, fields));
    expect(status).toBe('completed');
    return result.cardId!;
  }

  /** Takes everything off a card, so that it can be closed. */
  async empty(cardId: string): Promise<void> {
    const { available } = await this.card(cardId);
    expect((await this.outcomeOf(unload(cardId, available))).status).toBe('completed');
  }

  async card(id: string): Promise<Card> {
    return expectBody<Card>(await this.get(`/api/v1/cards/${id}`), 200);
  }

  requestInvoice(body: object, idempotencyKey: string = randomUUID()): Promise<ApiResponse> {
    return this.post('/api/v1/card-account/invoices', body, { 'Idempotency-Key': idempotencyKey });
  }

  async newInvoice(amount = '100'): Promise<Invoice> {
    return expectBody<Invoice>(await this.requestInvoice({ amount }), 201);
  }

  cancelInvoice(id: string): Promise<ApiResponse> {
    return this.post(`/api/v1/card-account/invoices/${id}/cancel`);
  }

  async invoice(id: string): Promise<Invoice> {
    return expectBody<Invoice>(await this.get(`/api/v1/card-account/invoices/${id}`), 200);
  }

  untilInvoice(id: string, status: string): Promise<Invoice> {
    return until(
      `invoice ${id} is ${status}`,
      () => this.invoice(id),
      (invoice) => invoice.status === status,
    );
  }

  async list<Item>(path: string): Promise<Listed<Item>> {
    return expectBody<Listed<Item>>(await this.get(path), 200);
  }

  /** All entries of the statement, or those of one operation. */
  async entries(reference?: string): Promise<Entry[]> {
    const path = `/api/v1/account-statements?from=${utcDate(-1)}&to=${utcDate(1)}`;
    const { data } = await this.list<Entry>(path);
    return data.filter((entry) => reference === undefined || entry.reference === reference);
  }

  /** The available and the held amount. */
  async funds(): Promise<readonly [string, string]> {
    const { available, held } = (await this.balance()) as { available: string; held: string };
    return [available, held];
  }
}

export function expectBody<Body>(response: ApiResponse, status: number): Body {
  // The body explains an unexpected response better than its status.
  if (response.status !== status) throw new Error(`Expected ${status}, got ${response.status}: ${response.text}`);
  return response.body as Body;
}

export function codeOf({ status, body }: ApiResponse): readonly [number, unknown] {
  return [status, body['code']];
}
