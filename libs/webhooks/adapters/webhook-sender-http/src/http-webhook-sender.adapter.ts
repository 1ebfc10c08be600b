import type { Clock } from '@florin/kernel';
import type { SendResult, WebhookRequest, WebhookSender } from '@florin/webhooks-application';
import { checkUrl } from '@florin/webhooks-domain';
import { LRUCache } from 'lru-cache';
import { Attempt } from './attempt';
import { AttemptsUnderWay } from './attempts-under-way';
import { Connections } from './connections';
import { guardedConnector, type ResolveAddresses } from './guarded-connector';
import { resolveByDns } from './resolve-by-dns';

export interface HttpWebhookSenderOptions {
  readonly clock: Clock;
  /** `WEBHOOK_ALLOW_LOOPBACK`: sandbox endpoints may be on this machine. */
  readonly allowLoopback: boolean;
  /** For the whole attempt, from the name to the last byte; 15 s unless told. */
  readonly timeoutMs?: number;
  readonly resolve?: ResolveAddresses;
  /** Certificates that are trusted instead of the usual ones. */
  readonly ca?: string;
}

/** Where a request goes, or why it must not. */
interface Target {
  readonly problem: string | undefined;
  readonly origin: string;
  readonly path: string;
}

/**
 * Posts over keep-alive connections, as many to one host as are needed, since whoever calls bounds them: a host that
 * keeps some waiting then cannot keep others waiting behind them. Environments never share a connection.
 */
export class HttpWebhookSender implements WebhookSender {
  private readonly connections: Readonly<Record<WebhookRequest['environment'], Connections>>;
  private readonly targets = {
    sandbox: new LRUCache<string, Target>({ max: 10_000 }),
    live: new LRUCache<string, Target>({ max: 10_000 }),
  };
  private readonly underWay: AttemptsUnderWay;
  private readonly timeoutMs: number;
  private readonly now: () => Date;

  constructor(private readonly options: HttpWebhookSenderOptions) {
    const { clock, timeoutMs = 15_000 } = options;
    this.timeoutMs = timeoutMs;
    this.underWay = new AttemptsUnderWay(timeoutMs);
    this.now = () => clock.now();
    this.connections = { sandbox: this.connectionsOf('sandbox'), live: this.connectionsOf('live') };
  }

  async send({ url, environment, headers, body }: WebhookRequest, signal?: AbortSignal): Promise<SendResult> {
    const { problem, origin, path } = this.targetOf(url, environment);
    if (problem !== undefined) return { outcome: 'forbidden', error: problem, durationMs: 0 };
    const attempt = new Attempt(this.now);
    this.underWay.add(attempt, signal);
    const connections = this.connections[environment];
    const client = connections.take(origin);
    try {
      client.dispatch({ path, method: 'POST', headers, body }, attempt);
    } catch (error) {
      attempt.fail(error);
    }
    const result = await attempt.result;
    this.underWay.delete(attempt);
    if (attempt.isWhole) connections.giveBack(origin, client);
    else connections.discard(client);
    return result;
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.connections).map((connections) => connections.close()));
  }

  /** An address is read once and not before each of its requests. */
  private targetOf(url: string, environment: WebhookRequest['environment']): Target {
    const known = this.targets[environment].get(url);
    if (known) return known;
    const problem = checkUrl(url, { environment, allowLoopback: this.options.allowLoopback });
    const { origin, pathname, search } = new URL(problem === undefined ? url : 'https://nowhere.invalid');
    const target = { problem, origin, path: pathname + search };
    this.targets[environment].set(url, target);
    return target;
  }

  private connectionsOf(environment: WebhookRequest['environment']): Connections {
    const { allowLoopback, resolve = resolveByDns(), ca } = this.options;
    const timeoutMs = this.timeoutMs;
    return new Connections({
      pipelining: 1,
      // The attempt has a deadline of its own, over all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: guardedConnector({ environment, allowLoopback, resolve, timeoutMs, ...(ca !== undefined && { ca }) }),
    });
  }
}
