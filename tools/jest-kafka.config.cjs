const { cluster, clusterOnEventStoreDb, kafka } = require('./jest-projects.cjs');

/** `npm run test:kafka`: the suites that need Java and Maven for a real broker. */
module.exports = { projects: [kafka, cluster, clusterOnEventStoreDb] };
