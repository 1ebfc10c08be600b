import { randomUUID } from 'node:crypto';

/** The API with one key, as a program of the company would use it. */
export class Api {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
  ) {}

  get<Body>(path: string): Promise<Body> {
    return this.send<Body>('GET', path);
  }

  post<Body>(path: string, body: object): Promise<Body> {
    return this.send<Body>('POST', path, body);
  }

  private async send<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      body: body && JSON.stringify(body),
      headers: {
        Authorization: `Bearer ${this.key}`,
        ...(body && { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }),
      },
    });
    const answer = (await response.json()) as Body & { readonly message?: string };
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${answer.message}`);
    return answer;
  }
}
