import * as http from 'node:http';
import * as https from 'node:https';

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Bounds the whole call, from the connection to the last byte of the answer. */
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

/** There is no whole answer. The message says why, in words that may be stored and shown. */
export class NoResponse extends Error {}

const answerLimitBytes = 64 * 1024;
/** Idle connections are closed before most servers would do it: one closed by the server just when it is used is lost. */
const idleMs = 1_000;

/**
 * Sends a request once and never again. Node's own client suits this: it follows no redirect, and a request whose reused
 * connection turns out to be closed fails (`ECONNRESET`) instead of being sent again on a new one, as browsers, `fetch`
 * with some agents and many client libraries would do.
 */
export class SingleShotClient {
  private readonly request: typeof http.request;
  private readonly agent: http.Agent;

  constructor(private readonly url: URL) {
    const secure = url.protocol === 'https:';
    const options = { keepAlive: true, timeout: idleMs };
    this.request = secure ? https.request : http.request;
    this.agent = secure ? new https.Agent({ ...options, rejectUnauthorized: true }) : new http.Agent(options);
  }

  /** Rejects with anything that keeps a whole answer from coming. */
  post({ headers, body, signal }: Post): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const length = `${Buffer.byteLength(body)}`;
      const allHeaders = { ...headers, 'Content-Length': length };
      const request = this.request(this.url, { method: 'POST', agent: this.agent, headers: allHeaders, signal });
      let answering = false;
      request.on('response', (response) => {
        answering = true;
        readWhole(response).then(resolve, reject);
      });
      request.on('error', reject);
      // Some ends are no errors to Node, such as an answer that switches protocols. They must not be waited for.
      request.on('close', () => {
        if (!answering) reject(new NoResponse('the issuer ended the connection without an answer'));
      });
      request.end(body);
    });
  }
}

/** A connection that breaks before the announced end of the body makes the loop throw. */
async function readWhole(response: http.IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop by an error destroys the response and its connection.
    if (bytes > answerLimitBytes) throw new NoResponse(`the issuer's answer is longer than ${answerLimitBytes} bytes`);
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') };
}
