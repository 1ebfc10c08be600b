export { PostgresEventStore, type PostgresEventStoreOptions } from './postgres-event-store.adapter';
export {
  archiveClosedStreams,
  type ArchiveProgress,
  ArchiveRefused,
  type ArchiveRun,
  type ArchiveRunOptions,
} from './archive/archive-closed-streams';
export { checkArchive, type CheckedArchive } from './archive/check-archive';
export { OrderedAppends } from './ordered-appends';
