import { stopLeftovers } from './florin';

/** A safety net for tests that start several Florins on a slow machine. On an idle one, no test takes ten seconds. */
jest.setTimeout(process.env['FLORIN_COMPOSITION'] === 'cluster' ? 300_000 : 120_000);

afterAll(stopLeftovers);
