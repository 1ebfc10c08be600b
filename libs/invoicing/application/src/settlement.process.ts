import { eventCodec, type Process } from '@florin/event-sourcing';
import { settlementKey, settlementOf } from '@florin/invoicing-domain';
import type { EventVersions } from '@florin/kernel';
import type { BlocksRead } from '@florin/tron-domain';

/** The chain's event in the version that invoices understand; a newer one stops the process instead of being guessed at. */
const versions: EventVersions<BlocksRead> = { BlocksRead: [] };
const codec = eventCodec<BlocksRead>(versions);

/** Carries what was read of the chain to the addresses, one block range after the other. */
export const settlementProcess: Process = {
  name: 'settlement',
  categories: ['chain'],
  eventTypes: Object.keys(versions),
  inOrder: true,
  react: (recorded) => {
    const command = settlementOf(codec.decode(recorded).event);
    return [{ context: 'invoicing', key: settlementKey, command }];
  },
};
