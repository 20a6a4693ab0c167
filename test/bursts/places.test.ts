import { expect, test } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../core/model/cluster/node.ts';
import { awaitingPods } from '../../simulation/load/awaiting-pods.ts';
import { readLoad } from '../../simulation/load/read-load.ts';
import { livesOf } from '../../simulation/recording/lives.ts';
import { record } from '../../simulation/recording/record.ts';
import { groupsIn, workloadDocument } from '../bench/trace/documents.ts';
import { times } from '../scenario-builders.ts';

const SEEDS = 10;
const PODS = 31;

const deployment = (name: string, replicas: number, cpu: string, spec: object = {}) => ({
  at: 5,
  deploy: { name, replicas, labels: { app: name }, requests: { cpu, memory: '512Mi' }, spec },
});

const of = (name: string): object => ({ matchLabels: { app: name } });
const evenly = { maxSkew: 1, topologyKey: ZONE_LABEL, whenUnsatisfiable: 'DoNotSchedule', labelSelector: of('spread') };
const apart = [{ topologyKey: HOSTNAME_LABEL, labelSelector: of('apart') }];

/** A burst of pods that are spread over zones, keep apart, need a zone, or take half a node; nodes boot in 5 to 15 s. */
function burst(seed: number, existing = 1) {
  const read = readLoad(
    workloadDocument({
      name: 'burst',
      seed,
      until: 180,
      groups: groupsIn(['m5.xlarge'], { minSize: existing, desiredSize: existing, boot: { min: '5s', max: '15s' } }),
      steps: [
        deployment('spread', 12, '500m', { topologySpreadConstraints: [evenly] }),
        deployment('apart', 6, '1', {
          affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } },
        }),
        deployment('large', 9, '2'),
        deployment('zonal', 4, '1500m', { nodeSelector: { [ZONE_LABEL]: 'us-east-1b' } }),
      ],
    }),
  );
  if (!read.ok) {
    throw new Error(JSON.stringify(read.error));
  }
  return read.value;
}

test('pods whose places kube-scheduler has given to others are seen again within seconds, not with the next minute', async () => {
  const waits = await Promise.all(
    times(SEEDS, async (i) => {
      const load = burst(2 * i + 2);
      const { summary } = await record(load);
      return summary.pendingToRunning?.max ?? 0;
    }),
  );
  // The slowest nodes boot in 20 s, and a pod may need two in turn; 80 s where it is left to the schedule.
  expect(Math.max(...waits)).toBeGreaterThan(30);
  expect(Math.max(...waits)).toBeLessThan(62);
});

test('nodes with planned placement hold the pods that they were launched for, in whichever order they open', async () => {
  const runs = await Promise.all(
    times(SEEDS, async (i) => {
      const load = burst(i + 1, 0);
      const recording = await record(awaitingPods({ ...load, options: { ...load.options, plannedPlacement: true } }));
      return { placed: recording.summary.pods.placed, nodes: livesOf(recording, recording.summary.seconds).length };
    }),
  );
  expect(runs.map(({ placed }) => placed)).toEqual(times(SEEDS, () => PODS));
  // 13 where places of pods that have come are reserved again for others.
  expect(runs.reduce((sum, { nodes }) => sum + nodes, 0) / SEEDS).toBeLessThan(11.8);
});
