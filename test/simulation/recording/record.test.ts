import { expect, test } from 'vitest';
import { readLoad } from '../../../simulation/load/read-load.ts';
import { record } from '../../../simulation/recording/record.ts';
import type { TimelineEntry } from '../../../simulation/recording/recording.ts';

/** Two groups would do; the cloud can launch one instance in the first. */
const LOAD = {
  apiVersion: 'outrigger.dev/v1alpha1',
  kind: 'Workload',
  metadata: { name: 'sold-out' },
  options: { balanceSimilarNodeGroups: false },
  nodeGroups: [
    { name: 'cheap', zone: 'eu-west-1a', instanceType: 'm5.xlarge', minSize: 0, maxSize: 12, available: 1 },
    { name: 'other', zone: 'eu-west-1b', instanceType: 'm5.2xlarge', minSize: 0, maxSize: 12 },
  ],
  load: [{ at: '5s', deploy: { name: 'shop', replicas: 12, requests: { cpu: 1, memory: '1Gi' } } }],
  until: '6m',
};

test('instances that the cloud cannot launch are given up and bought elsewhere, within seconds', async () => {
  const load = readLoad(LOAD);
  if (!load.ok) {
    throw new Error(JSON.stringify(load.error));
  }
  const { timeline, summary } = await record(load.value);
  const ofKind = <Kind extends TimelineEntry['kind']>(kind: Kind) =>
    timeline.filter((entry): entry is Extract<TimelineEntry, { kind: Kind }> => entry.kind === kind);

  const sizes = ofKind('SizeSet').map(({ group, from, to }) => `${group} ${from} → ${to}`);
  expect(sizes.toSorted((a, b) => a.localeCompare(b))).toEqual(['cheap 0 → 4', 'cheap 4 → 1', 'other 0 → 2']);
  const [failed] = ofKind('LaunchFailed');
  const bought = ofKind('SizeSet').find(({ group }) => group === 'other')!;
  expect(bought.at - failed!.at).toBeLessThan(5);
  expect(ofKind('NodeReady')).toHaveLength(3);
  expect(summary.pods).toMatchObject({ placed: 12 });
});
