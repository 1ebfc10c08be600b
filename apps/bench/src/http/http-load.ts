import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { quantile } from '../measure';

/** A POST with its own Idempotency-Key, or a GET if it has no body. */
export interface LoadRequest {
  readonly path: string;
  readonly key: string;
  readonly body?: string;
}

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly durationMs: number;
  readonly next: (sequence: number) => LoadRequest;
  /** Maximum rate, spread evenly. Without it, each connection sends as soon as it has the previous response. */
  readonly requestsPerSecond?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const run = Date.now().toString(36);
let sequence = 0;

/**
 * Sends over keep-alive connections, one request at a time on each. Fails if any request fails.
 *
 * Client, server and database share the machine, and a general load generator uses as much CPU as the server under
 * test. This one writes raw text and only finds the end of each response.
 */
export async function sendAll({ url, connections, durationMs, next, requestsPerSecond }: Load): Promise<LoadResult> {
  const { hostname, port, host } = new URL(url);
  const begin = performance.now();
  const end = begin + durationMs;
  const latencies: number[] = [];
  const pause = requestsPerSecond === undefined ? 0 : (connections * 1_000) / requestsPerSecond;
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const connection = await Connection.open(hostname, Number(port), host);
      let due = begin + (pause * index) / connections;
      for (let now = performance.now(); now < end; now = performance.now()) {
        if (due > now) await new Promise((resolve) => setTimeout(resolve, due - now));
        due += pause;
        sequence += 1;
        const sent = performance.now();
        await connection.send(next(sequence), `${run}-${sequence}`);
        latencies.push(performance.now() - sent);
      }
      connection.close();
    }),
  );
  const seconds = (performance.now() - begin) / 1_000;
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    requestsPerSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

const endOfHead = '\r\n\r\n';

class Connection {
  static open(hostname: string, port: number, host: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port, noDelay: true });
      socket.once('error', reject).once('connect', () => resolve(new Connection(socket, host)));
    });
  }

  private received = '';
  private succeeded: () => void = () => undefined;
  private failed: (error: Error) => void = () => undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.receive(text));
    socket.on('error', (error) => this.failed(error));
    socket.on('close', () => this.failed(new Error('The server closed a connection during a run')));
  }

  send({ path, key, body }: LoadRequest, idempotencyKey: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.succeeded = resolve;
      this.failed = reject;
      const head = `${path} HTTP/1.1\r\nHost: ${this.host}\r\nAuthorization: Bearer ${key}`;
      this.socket.write(
        body === undefined
          ? `GET ${head}${endOfHead}`
          : `POST ${head}\r\nIdempotency-Key: ${idempotencyKey}\r\nContent-Type: application/json\r\n` +
              `Content-Length: ${body.length}${endOfHead}${body}`,
        'latin1',
      );
    });
  }

  close(): void {
    this.failed = () => undefined;
    this.socket.end();
  }

  private receive(text: string): void {
    this.received += text;
    const head = this.received.indexOf(endOfHead);
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.received)?.[1] ?? 0);
    if (this.received.length < head + endOfHead.length + length) return;
    const response = this.received;
    this.received = '';
    // The status follows `HTTP/1.1 `.
    if (response[9] === '2') this.succeeded();
    else this.failed(new Error(`A request failed, so the results would be wrong: ${response}`));
  }
}
