const { browser } = require('./jest-projects.cjs');

/** `npm run test:browser`: the suites that need Chromium. */
module.exports = { projects: [browser] };
