const { clusterAll, clusterOnEventStoreDbAll, e2e, kafka, nightly, unit } = require('./jest-projects.cjs');

// Worker processes inherit it; libs/event-sourcing/src/testing/random-flows.ts reads it.
process.env.FLORIN_RANDOM_FLOWS ||= '20000';

/** `npm run test:nightly`: every spec, all end-to-end specs as a cluster as well, most of them also on EventStoreDB, and many more random flows. */
module.exports = { projects: [unit, nightly, e2e, kafka, clusterAll, clusterOnEventStoreDbAll] };
