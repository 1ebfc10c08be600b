import { signPayload } from '@florin/kernel';

export interface CallbackResult {
  /** 0 if Florin could not be reached. */
  readonly status: number;
  readonly body: unknown;
}

/** How held callbacks are sent: each this many times, and all in this order. */
export interface HeldCallbacks {
  readonly times?: number;
  readonly order?: 'sent' | 'reversed' | 'shuffled';
}

/** The callback waits until the script releases it. */
export interface Held {
  readonly held: true;
}

export interface SentCallback {
  readonly path: string;
  readonly body: object;
  readonly status: number;
  readonly sentAt: string;
}

const timeoutMs = 10_000;

/** Sends signed callbacks to Florin, or holds them, so that a script can repeat and reorder them. */
export class Callbacks {
  readonly sent: SentCallback[] = [];
  private held: { readonly path: string; readonly body: object }[] | undefined;

  constructor(
    private readonly secret: string,
    private florinUrl: string | undefined,
  ) {}

  /** Sets the address of Florin, which may start after its issuer. */
  sendTo(florinUrl: string): void {
    this.florinUrl = florinUrl;
  }

  hold(): void {
    this.held ??= [];
  }

  async release({ times = 1, order = 'sent' }: HeldCallbacks = {}): Promise<readonly CallbackResult[]> {
    const held = (this.held ?? []).flatMap((callback) => Array.from({ length: times }, () => callback));
    this.held = undefined;
    const results: CallbackResult[] = [];
    for (const { path, body } of inOrder(held, order)) results.push(await this.post(path, body));
    return results;
  }

  async send(body: object): Promise<CallbackResult | Held> {
    const callback = { path: '/issuer/v1/callbacks', body };
    if (this.held === undefined) return this.post(callback.path, callback.body);
    this.held.push(callback);
    return { held: true };
  }

  /** Never held, because a merchant waits for the decision. */
  async post(path: string, content: object): Promise<CallbackResult> {
    if (this.florinUrl === undefined)
      throw new Error('The simulator does not know the address of Florin. Set --florin.');
    const body = JSON.stringify(content);
    const signature = signPayload(this.secret, Math.floor(Date.now() / 1_000), body);
    const headers = { 'Content-Type': 'application/json', 'Issuer-Signature': signature };
    const request = { method: 'POST', body, headers, signal: AbortSignal.timeout(timeoutMs) };
    const result = await fetch(`${this.florinUrl}${path}`, request).then(
      async (response) => ({ status: response.status, body: parse(await response.text()) }),
      (error: unknown) => ({ status: 0, body: { message: (error as Error).message } }),
    );
    this.sent.push({ path, body: content, status: result.status, sentAt: new Date().toISOString() });
    return result;
  }
}

function inOrder<Item>(items: readonly Item[], order: HeldCallbacks['order']): readonly Item[] {
  if (order === 'reversed') return items.toReversed();
  if (order === 'sent') return items;
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
