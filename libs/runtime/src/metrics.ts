import type { ObservableResult } from '@opentelemetry/api';

/** A number that is true at the moment of looking; undefined while it is not known. */
export interface Gauge {
  /** Such as `florin_tron_lag_blocks`: the unit comes last. */
  readonly name: string;
  readonly help: string;
  read(): number | undefined | Promise<number | undefined>;
}

/** What monitoring can ask of this process, in the text format of Prometheus. Whoever never asks pays nothing for it. */
export class Metrics {
  private readonly gauges: Gauge[] = [];
  private collecting: Promise<() => Promise<string>> | undefined;

  constructor(private readonly serviceName: string) {}

  gauge(gauge: Gauge): void {
    this.gauges.push(gauge);
  }

  async render(): Promise<string> {
    this.collecting ??= this.open();
    const collect = await this.collecting;
    return collect();
  }

  /** The library takes a tenth of a second to load: better at the first look than at every start. */
  private async open(): Promise<() => Promise<string>> {
    const { PrometheusExporter, PrometheusSerializer } = await import('@opentelemetry/exporter-prometheus');
    const { MeterProvider } = await import('@opentelemetry/sdk-metrics');
    const exporter = new PrometheusExporter({ preventServerStart: true });
    const meter = new MeterProvider({ readers: [exporter] }).getMeter(this.serviceName);
    for (const { name, help, read } of this.gauges) {
      meter.createObservableGauge(name, { description: help }).addCallback(async (result: ObservableResult) => {
        const value = await read();
        if (value !== undefined) result.observe(value);
      });
    }
    const serializer = new PrometheusSerializer(undefined, false, undefined, true);
    return async () => {
      const { resourceMetrics } = await exporter.collect();
      return serializer.serialize(resourceMetrics);
    };
  }
}
