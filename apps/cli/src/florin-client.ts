import { CommandFailed, UsageError } from './cli-errors';

/** What the server says about a request that it did not carry out. */
interface ErrorBody {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly requestId?: unknown;
}

const answerWithinMs = 30_000;

export interface Door {
  /** Where Florin runs, as it was typed or left in a file. */
  readonly baseUrl: string;
  /** Which of its APIs, such as `/operator/v1`. */
  readonly path: string;
  /** The token or key that opens it. */
  readonly bearer: string;
  /** What to do when it does not. */
  readonly advice: string;
}

/** One of Florin's HTTP APIs, with words for whatever can go wrong on the way. */
export class FlorinClient {
  private readonly root: string;

  constructor(private readonly door: Door) {
    const { baseUrl, path } = door;
    if (!/^https?:/i.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new UsageError(`${baseUrl} is not an address; give one such as http://127.0.0.1:3000 with --url`);
    }
    this.root = `${baseUrl.replace(/\/+$/, '')}${path}`;
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.request<Answer>('GET', path);
  }

  post<Answer>(path: string, body?: object): Promise<Answer> {
    return this.request<Answer>('POST', path, body);
  }

  put<Answer>(path: string, body: object): Promise<Answer> {
    return this.request<Answer>('PUT', path, body);
  }

  private async request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const { status, text } = await this.send(method, path, body);
    const answer = parseJson(text);
    if (status < 200 || status > 299) throw this.refused(status, answer as ErrorBody | null | undefined);
    if (answer === undefined) throw new CommandFailed(`${this.root} is not Florin: it answers, but not in JSON`);
    return answer as Answer;
  }

  private async send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.door.bearer}`, accept: 'application/json' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    try {
      const response = await fetch(`${this.root}${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
        // Another place has no business with a token of ours.
        redirect: 'error',
        signal: AbortSignal.timeout(answerWithinMs),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw this.unreachable(error);
    }
  }

  private unreachable(error: unknown): CommandFailed {
    const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
    if (name === 'TimeoutError') {
      const wait = `${this.root} gave no answer within ${answerWithinMs / 1000} s`;
      return new CommandFailed(`${wait}. What was asked may have been done: look before you repeat it.`);
    }
    if (cause?.code === 'ECONNREFUSED') {
      const hint = 'Start it with `npm start`, or say with --url where it runs.';
      return new CommandFailed(`Florin is not running at ${new URL(this.root).origin}. ${hint}`);
    }
    return new CommandFailed(`${this.root} cannot be reached: ${cause?.message ?? String(error)}`);
  }

  private refused(statusCode: number, body: ErrorBody | null | undefined): CommandFailed {
    if (typeof body?.message !== 'string') {
      return new CommandFailed(`${this.root} answers ${statusCode}; is Florin running there?`, { statusCode });
    }
    const { message, code, requestId } = body;
    const advice = statusCode === 401 ? ` ${this.door.advice}` : '';
    return new CommandFailed(`${message}${advice}`, { statusCode, code, requestId });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
