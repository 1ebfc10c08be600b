const { unit, e2e } = require('./tools/jest-projects.cjs');

/** `npm test`: everything that needs Node alone. `npm run test:kafka` has a configuration of its own. */
module.exports = { projects: [unit, e2e] };
