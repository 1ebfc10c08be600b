export { PostgresEventStore, type PostgresEventStoreOptions } from './postgres-event-store.adapter';
export {
  archiveClosedStreams,
  type ArchiveProgress,
  ArchiveRefused,
  type ArchiveRun,
  type ArchiveRunOptions,
} from './archive/archive-closed-streams';
export { checkArchive, type CheckedArchive } from './archive/check-archive';
export { OrderedAppends, type OrderedEvent } from './ordered-appends';
export { EventPacker } from './packing/pack-event';
export { EventUnpacker } from './packing/unpack-event';
