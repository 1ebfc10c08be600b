import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

/** A minimal collector for OTLP over HTTP with JSON. */
export class TraceCollector {
  readonly spans: Span[] = [];
  /** Everything that was received. */
  text = '';
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        this.text += text;
        const body = JSON.parse(text) as {
          resourceSpans?: { scopeSpans: { spans: Span[] }[] }[];
        };
        for (const { scopeSpans } of body.resourceSpans ?? [])
          this.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
        response.setHeader('Content-Type', 'application/json').end('{}');
      });
    });
  }

  /** Returns the variables with which Florin sends its traces here. */
  async listen(): Promise<Readonly<Record<string, string>>> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
