import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from './harness/client';
import { Florin } from './harness/florin';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

/** A minimal collector for OTLP over HTTP with JSON. */
class Collector {
  readonly spans: Span[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as {
          resourceSpans?: { scopeSpans: { spans: Span[] }[] }[];
        };
        for (const { scopeSpans } of body.resourceSpans ?? [])
          this.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
        response.setHeader('Content-Type', 'application/json').end('{}');
      });
    });
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

describe('tracing', () => {
  const collector = new Collector();
  let florin: Florin;

  beforeAll(async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: await collector.listen(),
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    };
    florin = await Florin.start({ env });
  });

  it('follows one request from HTTP through the bus and the store to the projection', async () => {
    const key = florin.credentials.companies[0]!.keys.sandbox;
    const [traceId, clientSpan] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const headers = { 'Idempotency-Key': 'traced', traceparent: `00-${traceId}-${clientSpan}-01` };
    await new ApiClient(florin.baseUrl, key).post('/api/v1/sandbox/funding', { amount: '1' }, headers);
    await new ApiClient(florin.baseUrl, key).balance();
    // The shutdown sends all pending spans.
    expect(await florin.stop()).toBe(0);
    await collector.close();
    florin.removeData();

    const spans = collector.spans.filter((span) => span.traceId === traceId);
    const named = (name: string): Span => {
      const found = spans.filter((span) => span.name === name);
      expect([name, found.length]).toEqual([name, 1]);
      return found[0]!;
    };
    const http = named('POST /api/v1/sandbox/funding');
    const bus = named('request DepositFunds');
    expect(http.parentSpanId).toBe(clientSpan);
    expect(bus.parentSpanId).toBe(http.spanId);
    expect(named('append account').parentSpanId).toBe(bus.spanId);
    expect(named('project account-entries').parentSpanId).toBe(bus.spanId);
  });
});
