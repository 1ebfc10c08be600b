import type { Sample, Series } from './prometheus';

/** A value that is read when metrics are scraped; undefined while it is unknown. */
export interface Gauge {
  /** The unit comes last: `florin_tron_lag_blocks`. */
  readonly name: string;
  readonly help: string;
  read(): number | undefined | Promise<number | undefined>;
}

/** The metrics of this process in the Prometheus text format. Without a scrape they cost nothing. */
export class Metrics {
  private readonly all: Series[] = [];
  private collecting: Promise<() => Promise<string>> | undefined;

  constructor(private readonly serviceName: string) {}

  gauge({ name, help, read }: Gauge): void {
    const readAll = async (): Promise<readonly Sample[]> => {
      const value = await read();
      return value === undefined ? [] : [{ value }];
    };
    this.series({ kind: 'gauge', name, help, read: readAll });
  }

  series(series: Series): void {
    this.all.push(series);
  }

  async render(): Promise<string> {
    this.collecting ??= this.open();
    const collect = await this.collecting;
    return collect();
  }

  /** Loaded on the first scrape, because the library takes 100 ms to load. */
  private async open(): Promise<() => Promise<string>> {
    const { openPrometheus } = await import('./prometheus');
    return openPrometheus(this.serviceName, this.all);
  }
}
