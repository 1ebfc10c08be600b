import { categoryOf, type RecordedEvent } from '@florin/event-sourcing';
import type { AdjustmentRows } from '../adjustments/adjustments.projection';
import type { CardRows } from '../cards/card-rows';
import type { CompanyRows } from '../companies/company-rows';
import type { DepositRows } from '../deposits/deposit-rows';
import type { InvoiceRows } from '../invoices/invoice-rows';
import type { OperationRows } from '../operations/operation-rows';
import type { TransactionRows } from '../transactions/transaction-rows';
import type { ReadModelFold } from './folded-table';
import { comparedProjections, readModelFolds } from './read-model-folds';

const exported = ['companies', 'operations', 'cards', 'invoices', 'deposits', 'adjustments'] as const;

/** The read models at a position of the log, in memory. Contains no personal data: names of holders stay sealed. */
export class FoldedReadModels {
  private readonly folds = new Map<string, ReadModelFold>(exported.map((name) => [name, readModelFolds[name]!()]));
  private readonly projections = comparedProjections.filter(({ name }) => this.folds.has(name));

  apply(event: RecordedEvent): void {
    const category = categoryOf(event.stream);
    for (const { name, categories, eventTypes } of this.projections) {
      if (!categories.includes(category) || eventTypes?.includes(event.type) === false) continue;
      this.folds.get(name)!.apply(event);
    }
  }

  /** Call once, after the last event. */
  complete(): void {
    for (const fold of this.folds.values()) fold.complete?.();
  }

  get companies(): CompanyRows {
    return this.rows('companies', 'companies') as CompanyRows;
  }

  get operations(): OperationRows {
    return this.rows('operations', 'operations') as OperationRows;
  }

  get cards(): CardRows {
    return this.rows('cards', 'cards') as CardRows;
  }

  get transactions(): TransactionRows {
    return this.rows('cards', 'transactions') as TransactionRows;
  }

  get invoices(): InvoiceRows {
    return this.rows('invoices', 'invoices') as InvoiceRows;
  }

  get deposits(): DepositRows {
    return this.rows('deposits', 'deposits') as DepositRows;
  }

  get adjustments(): AdjustmentRows {
    return this.rows('adjustments', 'adjustments') as AdjustmentRows;
  }

  private rows(projection: (typeof exported)[number], table: string): Map<string, object> {
    return this.folds.get(projection)!.tables.find(({ name }) => name === table)!.rows;
  }
}
