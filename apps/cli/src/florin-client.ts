import { CommandFailed, CouldNotRun, UsageError } from './cli-errors';

interface ErrorBody {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly requestId?: unknown;
}

const timeoutMs = 30_000;

export interface ApiConnection {
  readonly baseUrl: string;
  /** The root of the API on that server, such as `/operator/v1`. */
  readonly path: string;
  readonly bearer: string;
  readonly adviceOn401: string;
}

interface HttpResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds?: number;
}

/** One of Florin's HTTP APIs. Every failure becomes an error with advice. */
export class FlorinClient {
  private readonly root: string;

  constructor(private readonly connection: ApiConnection) {
    const { baseUrl, path } = connection;
    if (!/^https?:/i.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new UsageError(`Invalid --url ${baseUrl}. Use an address such as http://127.0.0.1:3000.`);
    }
    this.root = `${baseUrl.replace(/\/+$/, '')}${path}`;
  }

  get<Response>(path: string): Promise<Response> {
    return this.request<Response>('GET', path);
  }

  post<Response>(path: string, body?: object, idempotencyKey?: string): Promise<Response> {
    return this.request<Response>('POST', path, body, idempotencyKey);
  }

  put<Response>(path: string, body: object): Promise<Response> {
    return this.request<Response>('PUT', path, body);
  }

  private async request<Response>(
    method: string,
    path: string,
    body?: object,
    idempotencyKey?: string,
  ): Promise<Response> {
    const response = await this.send(method, path, body, idempotencyKey);
    const content = parseJson(response.text);
    if (response.status < 200 || response.status > 299) throw this.errorResponse(response, content);
    if (content === undefined) throw new CommandFailed(`${this.root} is not Florin: the response is not JSON.`);
    return content as Response;
  }

  private async send(method: string, path: string, body?: object, idempotencyKey?: string): Promise<HttpResponse> {
    const { bearer } = this.connection;
    const headers: Record<string, string> = { authorization: `Bearer ${bearer}`, accept: 'application/json' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    try {
      const response = await fetch(`${this.root}${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
        // A redirect would send the token to another host.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const retryAfter = response.headers.get('retry-after');
      const retry = retryAfter !== null && /^\d+$/.test(retryAfter) && { retryAfterSeconds: Number(retryAfter) };
      return { status: response.status, text: await response.text(), ...retry };
    } catch (error) {
      throw this.unreachable(error);
    }
  }

  /** There was no response, so there is no result. */
  private unreachable(error: unknown): CouldNotRun {
    const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
    if (name === 'TimeoutError') {
      return new CouldNotRun(
        `${this.root} did not respond within ${timeoutMs / 1000} s. The request may have been processed: check before you repeat it.`,
      );
    }
    if (cause?.code === 'ECONNREFUSED') {
      const advice = 'Start it with `npm start`, or set --url to its address.';
      return new CouldNotRun(`Florin is not running at ${new URL(this.root).origin}. ${advice}`);
    }
    return new CouldNotRun(`Cannot reach ${this.root}: ${cause?.message ?? String(error)}`);
  }

  private errorResponse({ status: statusCode, retryAfterSeconds }: HttpResponse, content: unknown): CommandFailed {
    const body = content as ErrorBody | null | undefined;
    if (typeof body?.message !== 'string') {
      return new CommandFailed(`${this.root} returned ${statusCode}. Is this Florin?`, { statusCode });
    }
    const { message, code, requestId } = body;
    const advice = statusCode === 401 ? ` ${this.connection.adviceOn401}` : '';
    return new CommandFailed(`${message}${advice}`, { statusCode, code, requestId, retryAfterSeconds });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
