import { findEventStoreDb } from '@florin/dev-platform';

/** The specs of this Jest project run against Florin as services on Kafka, with the log in a real EventStoreDB. */
process.env['FLORIN_COMPOSITION'] = 'cluster';
if (findEventStoreDb(process.env) === undefined) {
  process.stderr.write('No EventStoreDB found, so these specs run with the log in Postgres (docs/CLUSTER.md).\n');
} else {
  process.env['FLORIN_TEST_EVENT_STORE'] = 'eventstoredb';
}
