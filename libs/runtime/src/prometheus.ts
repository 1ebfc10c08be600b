import type { ObservableResult } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Several values of one metric, distinguished by their labels. A counter only grows, and its name ends in `_total`. */
export interface Series {
  readonly kind: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  read(): readonly Sample[] | Promise<readonly Sample[]>;
}

/** A metric that takes longer is left out. */
const collectTimeoutMs = 2_000;

/** Reads on demand. Gauges are delta, so that a gauge whose value is unknown now is left out. */
class Reader extends MetricReader {
  constructor() {
    super({
      aggregationTemporalitySelector: (type) =>
        type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
    });
  }

  protected override async onForceFlush(): Promise<void> {}

  protected override async onShutdown(): Promise<void> {}
}

/** Returns the function that renders all series in the Prometheus text format. */
export function openPrometheus(serviceName: string, all: readonly Series[]): () => Promise<string> {
  const reader = new Reader();
  const meter = new MeterProvider({ readers: [reader] }).getMeter(serviceName);
  for (const { kind, name, help, read } of all) {
    const options = { description: help };
    const instrument =
      kind === 'counter' ? meter.createObservableCounter(name, options) : meter.createObservableGauge(name, options);
    instrument.addCallback(async (result: ObservableResult) => {
      for (const { value, labels } of await read()) result.observe(value, labels);
    });
  }
  const serializer = new PrometheusSerializer(undefined, false, undefined, true);
  const scrape = async (): Promise<string> => {
    const { resourceMetrics } = await reader.collect({ timeoutMillis: collectTimeoutMs });
    return serializer.serialize(resourceMetrics);
  };
  let running: Promise<string> | undefined;
  // Concurrent scrapes share one collection: a delta gauge is reported only once.
  return () => (running ??= scrape().finally(() => (running = undefined)));
}
