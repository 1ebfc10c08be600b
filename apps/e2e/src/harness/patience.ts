import { endLeftovers } from './product';

/**
 * Starting and killing whole products takes longer than Jest's usual five seconds. The longest test starts four clusters, one
 * after the other, beside other tests that do the same: a minute alone, and twice that where two cores have to do for all.
 */
jest.setTimeout(300_000);

afterAll(endLeftovers);
