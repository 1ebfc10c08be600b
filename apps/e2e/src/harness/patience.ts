import { endLeftovers } from './product';

/** Starting and killing whole products takes longer than Jest's usual five seconds. */
jest.setTimeout(120_000);

afterAll(endLeftovers);
