import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { quantile } from '../measure';

/** One POST. The load makes a new one for every request, so that no two are the same wish. */
export interface LoadRequest {
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly durationMs: number;
  readonly next: (sequence: number) => LoadRequest;
  /** At most so many requests a second, spread evenly; without it each connection sends as soon as it was answered. */
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
 * Posts over keep-alive connections, one request at a time on each, and refuses to count a run with a single failure.
 *
 * Client, server and database share the machine, so whatever the client uses is missing elsewhere: a general load
 * generator takes as much as the server under test. This one writes texts and looks for the end of the answer.
 */
export async function postAll({ url, connections, durationMs, next, requestsPerSecond }: Load): Promise<LoadResult> {
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
        await connection.post(next(sequence), `${run}-${sequence}`);
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
  private answered: () => void = () => undefined;
  private failed: (error: Error) => void = () => undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.receive(text));
    socket.on('error', (error) => this.failed(error));
    socket.on('close', () => this.failed(new Error('The server closed a connection in the middle of a run')));
  }

  post({ path, key, body }: LoadRequest, idempotencyKey: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.answered = resolve;
      this.failed = reject;
      this.socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${this.host}\r\nAuthorization: Bearer ${key}\r\n` +
          `Idempotency-Key: ${idempotencyKey}\r\nContent-Type: application/json\r\n` +
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
    const answer = this.received;
    this.received = '';
    // The status stands right behind `HTTP/1.1 `.
    if (answer[9] === '2') this.answered();
    else this.failed(new Error(`A request was refused, so the figures would mean nothing: ${answer}`));
  }
}
