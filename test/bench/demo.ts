import { readLoad } from '../../simulation/load/read-load.ts';
import type { DemoLoad } from '../../simulation/load/load.ts';
import { record } from '../../simulation/recording/record.ts';
import { explainInvalid } from '../../providers/manifest/invalid.ts';
import type { Benchmark } from './measure.ts';
import { webLoad } from './trace/web-load.ts';

/** A day of a web shop of about 200 nodes at its peak: 18 times as large as that of `npm run bench:trace`. */
export function largeShop(): DemoLoad {
  const load = readLoad(webLoad('web18', 1, { days: 1, size: 18 }));
  if (!load.ok) {
    throw new Error(`bench: the load is invalid: ${load.error.map(explainInvalid).join('; ')}`);
  }
  return load.value;
}

/** A run of the demo, without what it prints. */
export const demoBenchmarks: Readonly<Record<string, Benchmark>> = {
  'demo-200-nodes-24h': {
    goalMs: 60_000,
    runs: 1,
    warmUps: 0,
    prepare: () => {
      const load = largeShop();
      return async () => {
        const { seconds, nodes, pods } = (await record(load)).summary;
        return `${seconds / 3_600} h, ${nodes.most} nodes at most, ${pods.created} pods, ${pods.pending} pending`;
      };
    },
  },
};
