import { categoryOf, metadataOf, type RecordedEvent } from '@florin/event-sourcing';
import { holderAggregate } from '@florin/operations-domain';
import { accountOwnerOf } from '@florin/read-models/tools';
import { actorText } from '../commands/actor-text';
import { type ExportRow, type ExportScope, type ExportTable, isInScope } from './export-tables';

const columns = ['holderId', 'companyId', 'environment', 'erasedAt', 'erasedBy', 'position', 'hash'];

/** The erasures of holders, with the place in the log that proves each of them. */
export class Erasures {
  private readonly rows: ExportRow[] = [];

  constructor(private readonly scope: ExportScope) {}

  add(event: RecordedEvent): void {
    if (event.type !== 'HolderErased' || categoryOf(event.stream) !== holderAggregate.category) return;
    const account = event.stream.slice(holderAggregate.category.length + 1);
    const owner = accountOwnerOf(`account-${account}`);
    if (owner === undefined || !isInScope(owner, this.scope)) return;
    const { holderId } = JSON.parse(event.data) as { readonly holderId: string };
    const { recordedAt, actor, hash } = metadataOf(event);
    this.rows.push({
      ...{ holderId, companyId: owner.companyId, environment: owner.environment, erasedAt: recordedAt },
      ...{ erasedBy: actorText(actor) ?? null, position: String(event.position), hash },
    });
  }

  get table(): ExportTable {
    return { name: 'erasures', columns, rows: this.rows };
  }
}
