import { newClusterId } from './broker-storage';

describe('newClusterId', () => {
  it('generates another id when one starts with a dash, which Kafka would parse as an option', () => {
    const draws = [Buffer.alloc(16, 0xf8), Buffer.alloc(16, 0x01)];
    expect(draws[0]!.toString('base64url')).toMatch(/^-/);
    expect(newClusterId(() => draws.shift()!)).toBe('AQEBAQEBAQEBAQEBAQEBAQ');
    expect(draws).toEqual([]);
  });
});
