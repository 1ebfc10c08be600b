import type { Sample, Series } from './prometheus';

/** A number that is true at the moment of looking; undefined while it is not known. */
export interface Gauge {
  /** Such as `florin_tron_lag_blocks`: the unit comes last. */
  readonly name: string;
  readonly help: string;
  read(): number | undefined | Promise<number | undefined>;
}

/** What monitoring can ask of this process, in the text format of Prometheus. Whoever never asks pays nothing for it. */
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

  /** The library takes a tenth of a second to load: better at the first look than at every start. */
  private async open(): Promise<() => Promise<string>> {
    const { openPrometheus } = await import('./prometheus');
    return openPrometheus(this.serviceName, this.all);
  }
}
