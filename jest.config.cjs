const { unit, e2e } = require('./tools/jest-projects.cjs');

/** `npm test`: every suite that needs only Node. `npm run test:kafka` uses tools/jest-kafka.config.cjs. */
module.exports = { projects: [unit, e2e] };
