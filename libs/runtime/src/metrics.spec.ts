import { Metrics } from './metrics';

describe('Metrics', () => {
  it('reads every gauge at the time of the scrape', async () => {
    const metrics = new Metrics('florin');
    let lag = 3;
    metrics.gauge({ name: 'florin_lag_blocks', help: 'Blocks still to be read', read: () => lag });
    expect(await metrics.render()).toMatch(
      /# HELP florin_lag_blocks Blocks still to be read\n.*\nflorin_lag_blocks\{.*\} 3\n/,
    );
    lag = 5;
    expect(await metrics.render()).toMatch(/\nflorin_lag_blocks\{.*\} 5\n/);
  });

  it('returns the same values to concurrent scrapes', async () => {
    const metrics = new Metrics('florin');
    metrics.gauge({ name: 'florin_lag_blocks', help: 'Blocks still to be read', read: async () => 3 });
    const looks = await Promise.all([metrics.render(), metrics.render(), metrics.render()]);
    for (const look of looks) expect(look).toMatch(/^florin_lag_blocks\{.*\} 3$/m);
  });

  it('leaves out a gauge whose value is unknown', async () => {
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
