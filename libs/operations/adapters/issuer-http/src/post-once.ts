import * as http from 'node:http';
import * as https from 'node:https';

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Bounds the whole call, from the connection to the last byte of the response. */
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

/** No complete response was received. The message is safe to store and show. */
export class NoResponse extends Error {}

const maxResponseBytes = 64 * 1024;
/** Shorter than most servers' timeout: a request fails if the server closes its idle connection at the same time. */
const idleMs = 1_000;

/**
 * Sends each request exactly once. Uses Node's own client because it follows no redirects and does not retry: if a reused
 * connection is already closed, the request fails with `ECONNRESET`. `fetch` with some agents and many client libraries
 * would send it again on a new connection.
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

  /** Rejects if no complete response is received. */
  post({ headers, body, signal }: Post): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const length = `${Buffer.byteLength(body)}`;
      const allHeaders = { ...headers, 'Content-Length': length };
      const request = this.request(this.url, { method: 'POST', agent: this.agent, headers: allHeaders, signal });
      let responding = false;
      request.on('response', (response) => {
        responding = true;
        readWhole(response).then(resolve, reject);
      });
      request.on('error', reject);
      // Node reports no error in some cases, such as a protocol switch. Without this the call would not settle.
      request.on('close', () => {
        if (!responding) reject(new NoResponse('the issuer ended the connection without a response'));
      });
      request.end(body);
    });
  }
}

/** Throws if the connection breaks before the end of the body. */
async function readWhole(response: http.IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Throwing out of the loop destroys the response and its connection.
    if (bytes > maxResponseBytes)
      throw new NoResponse(`the issuer's response is longer than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') };
}
