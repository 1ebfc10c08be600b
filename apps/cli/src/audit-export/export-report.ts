import type { Finding } from '@florin/audit';
import type { Manifest } from './manifest';
import type { EnvironmentTotals } from './statement-totals';

/** `report.json`. Does not contain the time of the export, so that the same log gives the same bytes. */
export interface ExportReport extends Omit<Manifest, 'files'> {
  readonly totals: readonly EnvironmentTotals[];
  /** By file name, without the extension. */
  readonly rows: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}
