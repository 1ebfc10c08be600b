import { randomUUID } from 'node:crypto';

/** A client of the HTTP API with one key. */
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

  patch<Body>(path: string, body: object): Promise<Body> {
    return this.send<Body>('PATCH', path, body);
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
    const result = (await response.json()) as Body & { readonly message?: string };
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${result.message}`);
    return result;
  }
}
