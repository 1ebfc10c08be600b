import { availabilityOf } from './availability';

const attempt = (seconds: number, status?: number) => ({
  ...{ at: new Date(seconds * 1_000).toISOString(), durationMs: 100 },
  response: status === undefined ? { body: {}, reason: 'timeout' } : { status, body: {} },
});

describe('availabilityOf', () => {
  it('counts errors and missing responses, and finds the longest gap between conclusive responses', () => {
    const writes = [{ attempts: [attempt(1, 503), attempt(2), attempt(5, 201)] }, { attempts: [attempt(3, 409)] }];
    expect(availabilityOf(writes)).toEqual({ errors: 1, withoutResponse: 1, longestGapMs: 2_000 });
  });

  it('has no gap without writes', () => {
    expect(availabilityOf([])).toEqual({ errors: 0, withoutResponse: 0, longestGapMs: 0 });
  });
});
