import { Metrics } from './metrics';

describe('Metrics', () => {
  it('tells every gauge as it is at the moment of looking', async () => {
    const metrics = new Metrics('florin');
    let lag = 3;
    metrics.gauge({ name: 'florin_lag_blocks', help: 'Blocks still to be read', read: () => lag });
    expect(await metrics.render()).toMatch(
      /# HELP florin_lag_blocks Blocks still to be read\n.*\nflorin_lag_blocks\{.*\} 3\n/,
    );
    lag = 5;
    expect(await metrics.render()).toMatch(/\nflorin_lag_blocks\{.*\} 5\n/);
  });

  it('tells the same to all who look at once', async () => {
    const metrics = new Metrics('florin');
    metrics.gauge({ name: 'florin_lag_blocks', help: 'Blocks still to be read', read: async () => 3 });
    const looks = await Promise.all([metrics.render(), metrics.render(), metrics.render()]);
    for (const look of looks) expect(look).toMatch(/^florin_lag_blocks\{.*\} 3$/m);
  });

  it('leaves out what is not known, or not any more', async () => {
    const metrics = new Metrics('florin');
    let lag: number | undefined;
    metrics.gauge({ name: 'florin_lag_blocks', help: 'Blocks still to be read', read: () => lag });
    expect(await metrics.render()).not.toMatch(/^florin_lag_blocks\{/m);
    lag = 3;
    expect(await metrics.render()).toMatch(/^florin_lag_blocks\{.*\} 3$/m);
    lag = undefined;
    expect(await metrics.render()).not.toMatch(/^florin_lag_blocks\{/m);
  });
});
