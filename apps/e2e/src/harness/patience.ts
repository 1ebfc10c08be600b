import { endLeftovers } from './product';

/**
 * Starting and killing whole products takes longer than Jest's usual five seconds. The longest test starts four of them, one
 * after the other, beside other tests that do the same; as clusters that takes a minute alone, and more than two on few cores.
 */
jest.setTimeout(process.env['FLORIN_COMPOSITION'] === 'cluster' ? 300_000 : 120_000);

afterAll(endLeftovers);
