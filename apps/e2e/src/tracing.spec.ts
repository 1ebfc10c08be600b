import { ApiClient } from './harness/client';
import { Florin } from './harness/florin';
import { type Span, TraceCollector } from './harness/trace-collector';

describe('tracing', () => {
  const collector = new TraceCollector();
  let florin: Florin;

  beforeAll(async () => {
    const env = await collector.listen();
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
