import { backtest } from '../../cli/backtest/backtest.ts';
import { observePeriod } from '../../cli/history/observe.ts';
import { playedHistory } from '../cli/backtest/histories.ts';
import { largeShop } from './demo.ts';
import type { Benchmark } from './measure.ts';

/** The history of a day of a large web shop: read, and played once with its own options. */
export const backtestBenchmarks: Readonly<Record<string, Benchmark>> = {
  'backtest-200-nodes-24h': {
    // A seventh of a minute, which is the goal for a week.
    goalMs: 8_571,
    runs: 1,
    warmUps: 0,
    prepare: async () => {
      const { observations } = await playedHistory(largeShop());
      return async () => {
        const period = await observePeriod(observations);
        if (period === null) {
          throw new Error('bench: nothing was kept');
        }
        const { history, base } = await backtest(period, {
          name: 'web18',
          seed: 2,
          settings: {},
          peer: null,
          onTime: () => {},
        });
        const differs = (base.figures.cpuHours / history.figures.cpuHours - 1) * 100;
        return `${history.figures.nodesMost} nodes at most, ${period.scenarios} of ${period.scenarios + period.withoutScenario} decisions with scenario, CPU-hours ${differs.toFixed(1)} % of the history`;
      };
    },
  },
};
