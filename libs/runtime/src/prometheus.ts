import type { ObservableResult } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Several numbers of one name, told apart by their labels. A counter only ever grows, and its name ends in `_total`. */
export interface Series {
  readonly kind: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  read(): readonly Sample[] | Promise<readonly Sample[]>;
}

/** So long a number may take to be found out; then the others are told without it. */
const patienceMs = 2_000;

/** Reads when it is asked. Of gauges it tells only what was true at this look: what is not known any more is left out. */
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

/** Gives what renders all of them in the text format of Prometheus. */
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
  const look = async (): Promise<string> => {
    const { resourceMetrics } = await reader.collect({ timeoutMillis: patienceMs });
    return serializer.serialize(resourceMetrics);
  };
  let underWay: Promise<string> | undefined;
  // Two looks at once would take the gauges from each other.
  return () => (underWay ??= look().finally(() => (underWay = undefined)));
}
