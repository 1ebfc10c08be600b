const { cluster, kafka } = require('./jest-projects.cjs');

/** `npm run test:kafka`: what needs Java and Maven for a real broker. */
module.exports = { projects: [kafka, cluster] };
