import {
  type Context,
  context,
  defaultTextMapGetter,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { type CommandBus, type EventStore, metadataOf, type Projection } from '@florin/event-sourcing';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Tracing } from './tracing.port';

/** The exporter, its address, its protocol and the sampler come from the standard OTEL_* variables. */
export function startOpenTelemetry(serviceName: string): Tracing {
  const sdk = new NodeSDK({ serviceName, instrumentations: [] });
  sdk.start();
  const tracer = trace.getTracer('florin');
  return {
    http: (server) => traceHttp(tracer, server),
    bus: (bus) => traceBus(tracer, bus),
    store: (store) => traceStore(tracer, store),
    projection: (projection) => traceProjection(tracer, projection),
    close: () => sdk.shutdown(),
  };
}

function traceHttp(tracer: Tracer, server: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  server.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url ?? 'unknown route';
    const attributes = { 'http.request.method': request.method, 'http.route': route };
    const parent = contextOf(header(request.headers['traceparent']));
    const span = tracer.startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    spans.set(request, span);
    // Later code reads the trace context from the request, so its spans become children of this one.
    request.headers['traceparent'] = traceparentOf(span);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}

function traceBus(tracer: Tracer, bus: CommandBus): CommandBus {
  const traced = <Result>(
    verb: string,
    message: Parameters<CommandBus['send']>[0],
    work: (message: Parameters<CommandBus['send']>[0]) => Promise<Result>,
  ): Promise<Result> => {
    const attributes = { 'messaging.destination.name': `${message.context}.commands`, 'florin.key': message.key };
    const span = tracer.startSpan(
      `${verb} ${message.command.type}`,
      { kind: SpanKind.PRODUCER, attributes },
      contextOf(message.headers.traceparent),
    );
    const headers = { ...message.headers, traceparent: traceparentOf(span) };
    return endSpansAfter([span], work({ ...message, headers }));
  };
  return {
    request: <Reply>(message: Parameters<CommandBus['send']>[0]) =>
      traced('request', message, (inner) => bus.request<Reply>(inner)),
    send: (message) => traced('send', message, (inner) => bus.send(inner)),
  };
}

function traceStore(tracer: Tracer, store: EventStore): EventStore {
  return {
    append: (stream, expectedRevision, events) => {
      const spans = startSpans(
        tracer,
        `append ${stream.split('-', 1)[0]}`,
        events.map((event) => event.metadata),
      );
      return endSpansAfter(spans, store.append(stream, expectedRevision, events));
    },
    readStream: (stream, fromRevision) => store.readStream(stream, fromRevision),
    readAll: (query) => store.readAll(query),
    head: () => store.head(),
    subscribe: (query, signal) => store.subscribe(query, signal),
  };
}

function traceProjection<Tx>(tracer: Tracer, projection: Projection<Tx>): Projection<Tx> {
  return {
    ...projection,
    project: (events, tx) => {
      const spans = startSpans(
        tracer,
        `project ${projection.name}`,
        events.map((event) => event.metadata),
      );
      return endSpansAfter(spans, projection.project(events, tx));
    },
  };
}

/** One span for each trace in a batch, because a batch contains events of many requests. */
function startSpans(tracer: Tracer, name: string, metadata: readonly string[]): Span[] {
  const parents = new Set(metadata.map((text) => metadataOf({ metadata: text }).traceparent));
  return [...parents]
    .filter((parent) => parent !== undefined)
    .map((parent) => tracer.startSpan(name, { kind: SpanKind.INTERNAL }, contextOf(parent)));
}

async function endSpansAfter<Result>(spans: readonly Span[], work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    for (const span of spans) {
      span.recordException(error instanceof Error ? error : String(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}

function contextOf(traceparent: string | undefined): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  return propagation.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
}

function traceparentOf(span: Span): string {
  const carrier: { traceparent?: string } = {};
  propagation.inject(trace.setSpan(context.active(), span), carrier);
  return carrier.traceparent!;
}

function header(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
