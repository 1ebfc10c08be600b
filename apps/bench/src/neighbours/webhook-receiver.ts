import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';

interface Notification {
  readonly type: string;
  readonly data: { readonly object: { readonly id: string } };
}

/** Receives the webhooks of all tenants and reports when an operation was completed. `/hang` never responds. */
export class WebhookReceiver {
  /** When the completion of each operation arrived. */
  private readonly completedAt = new Map<string, number>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      let text = '';
      request.setEncoding('utf8');
      request.on('data', (part: string) => (text += part));
      request.on('end', () => {
        if (request.url === '/hang') return;
        response.end();
        if (request.url === '/polite') receiver.note(JSON.parse(text) as Notification);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  arrivalOf(operationId: string): number | undefined {
    return this.completedAt.get(operationId);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private note({ type, data }: Notification): void {
    const { id } = data.object;
    if (type === 'operation.completed' && !this.completedAt.has(id)) this.completedAt.set(id, performance.now());
  }
}
