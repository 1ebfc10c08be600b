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

  it('leaves out what is not known', async () => {
    const metrics = new Metrics('florin');
    metrics.gauge({ name: 'florin_lag_blocks', help: 'Blocks still to be read', read: () => undefined });
    expect(await metrics.render()).not.toMatch(/^florin_lag_blocks\{/m);
  });
});
