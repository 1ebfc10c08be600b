import { eventCodec, type Process } from '@florin/event-sourcing';
import { settlementKey, settlementOf } from '@florin/invoicing-domain';
import type { EventVersions } from '@florin/kernel';
import type { BlocksRead, ChainEvent } from '@florin/tron-domain';

/** The supported version of the event. A newer one stops the process. */
const versions: EventVersions<BlocksRead> = { BlocksRead: [] };
const codec = eventCodec<BlocksRead>(versions);

const chainEvents: Readonly<Record<ChainEvent['type'], true>> = {
  AddressesWatched: true,
  BlocksRead: true,
  ChainStarted: true,
};

/** Settles recorded block ranges, one after another. */
export const settlementProcess: Process = {
  name: 'settlement',
  categories: ['chain'],
  eventTypes: Object.keys(versions),
  knownEventTypes: Object.keys(chainEvents),
  inOrder: true,
  actor: { kind: 'chain', id: 'tron' },
  react: (recorded) => {
    const command = settlementOf(codec.decode(recorded).event);
    return [{ context: 'invoicing', key: settlementKey, command }];
  },
};
