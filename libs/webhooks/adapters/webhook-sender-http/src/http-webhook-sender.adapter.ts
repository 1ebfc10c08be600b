import type { Clock } from '@florin/kernel';
import type { SendResult, WebhookRequest, WebhookSender } from '@florin/webhooks-application';
import { checkUrl } from '@florin/webhooks-domain';
import { LRUCache } from 'lru-cache';
import { Attempt } from './attempt';
import { AttemptTimeouts } from './attempt-timeouts';
import { ConnectionPool } from './connection-pool';
import { guardedConnector, type ResolveAddresses } from './guarded-connector';
import { resolveByDns } from './resolve-by-dns';

export interface HttpWebhookSenderOptions {
  readonly clock: Clock;
  /** `WEBHOOK_ALLOW_LOOPBACK`: allows sandbox endpoints on this machine. */
  readonly allowLoopback: boolean;
  /** Limits the whole attempt, from resolving the name to the last byte; 15 s by default. */
  readonly timeoutMs?: number;
  readonly resolve?: ResolveAddresses;
  /** Trusted certificates, instead of the default ones. */
  readonly ca?: string;
}

/** The parsed URL of an endpoint, or the reason why it is forbidden. */
interface Target {
  readonly problem: string | undefined;
  readonly origin: string;
  readonly path: string;
}

/**
 * Posts over keep-alive connections. The caller limits the concurrency per endpoint, so there is no limit per host: slow
 * requests to a host cannot block others. Environments never share a connection.
 */
export class HttpWebhookSender implements WebhookSender {
  private readonly connections: Readonly<Record<WebhookRequest['environment'], ConnectionPool>>;
  private readonly targets = { sandbox: targetCache(), live: targetCache() };
  private readonly timeouts: AttemptTimeouts;
  private readonly timeoutMs: number;
  private readonly now: () => Date;

  constructor(private readonly options: HttpWebhookSenderOptions) {
    const { clock, timeoutMs = 15_000 } = options;
    this.timeoutMs = timeoutMs;
    this.timeouts = new AttemptTimeouts(timeoutMs);
    this.now = () => clock.now();
    this.connections = { sandbox: this.connectionsOf('sandbox'), live: this.connectionsOf('live') };
  }

  async send({ url, environment, headers, body }: WebhookRequest, signal?: AbortSignal): Promise<SendResult> {
    const { problem, origin, path } = this.targetOf(url, environment);
    if (problem !== undefined) return { outcome: 'forbidden', error: problem, durationMs: 0 };
    const attempt = new Attempt(this.now);
    this.timeouts.add(attempt, signal);
    const connections = this.connections[environment];
    const client = connections.acquire(origin);
    try {
      client.dispatch({ path, method: 'POST', headers, body }, attempt);
    } catch (error) {
      attempt.fail(error);
    }
    const result = await attempt.result;
    this.timeouts.delete(attempt);
    if (attempt.isComplete) connections.release(origin, client);
    else connections.discard(client);
    return result;
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.connections).map((connections) => connections.close()));
  }

  /** Parses and checks a URL once, not before each request. */
  private targetOf(url: string, environment: WebhookRequest['environment']): Target {
    const known = this.targets[environment].get(url);
    if (known) return known;
    const problem = checkUrl(url, { environment, allowLoopback: this.options.allowLoopback });
    const { origin, pathname, search } = new URL(problem === undefined ? url : 'https://forbidden.invalid');
    const target = { problem, origin, path: pathname + search };
    this.targets[environment].set(url, target);
    return target;
  }

  private connectionsOf(environment: WebhookRequest['environment']): ConnectionPool {
    const { allowLoopback, resolve = resolveByDns(), ca } = this.options;
    const timeoutMs = this.timeoutMs;
    return new ConnectionPool({
      pipelining: 1,
      // `AttemptTimeouts` limits the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: guardedConnector({ environment, allowLoopback, resolve, timeoutMs, ...(ca !== undefined && { ca }) }),
    });
  }
}

function targetCache(): LRUCache<string, Target> {
  return new LRUCache({ max: 10_000 });
}
