const { apiDescription } = require('./jest-projects.cjs');

/** `npm run test:api-description`: the suite that needs Python. */
module.exports = { projects: [apiDescription] };
