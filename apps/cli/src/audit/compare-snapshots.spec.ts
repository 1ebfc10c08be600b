import { rowsOf } from '@florin/database';
import { snapshotAggregates } from './compare-snapshots';

it('compares the snapshots of all streams that have them', () => {
  const streams = rowsOf('all-in-one', 'event_store.snapshots').flatMap(({ like = [] }) => like);
  expect([...snapshotAggregates.keys()].map((category) => `${category}-%`).sort()).toEqual([...streams].sort());
  for (const { stateVersion } of snapshotAggregates.values()) expect(stateVersion).toBeDefined();
});
