import { expect, test } from 'vitest';
import type { State } from '../../../core/model/state.ts';
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

/** A Deployment that shrinks and grows again each quarter of an hour. */
const WAVES = {
  apiVersion: 'outrigger.dev/v1alpha1',
  kind: 'Workload',
  metadata: { name: 'waves' },
  options: { scaleDownUnneededTime: 'auto' },
  nodeGroups: [{ name: 'web', zone: 'eu-west-1a', instanceType: 'm5.xlarge', minSize: 0, maxSize: 12 }],
  load: [
    { at: '5s', deploy: { name: 'shop', replicas: 20, requests: { cpu: 1, memory: '1Gi' } } },
    ...Array.from({ length: 6 }, (_, i) => ({
      at: `${(i + 1) * 15}m`,
      scale: { name: 'shop', replicas: i % 2 === 0 ? 4 : 20 },
    })),
  ],
  until: '100m',
};

test('a group learns from each of its removals, though a node is there until its instance has ended', async () => {
  const load = readLoad(WAVES);
  if (!load.ok) {
    throw new Error(JSON.stringify(load.error));
  }
  const times: State['unneededTimes'][] = [];
  const removals = new Set<number>();
  await record(load.value, {
    watch: ({ now }, { scaleDown, state }) => {
      times.push(state.unneededTimes);
      if (scaleDown.removals.length > 0) {
        removals.add(now);
      }
    },
  });
  const [learned] = times.at(-1)!;
  expect(removals.size).toBeGreaterThanOrEqual(3);
  expect(learned).toMatchObject({ group: 'web', removals: removals.size, relaunched: 0, watched: [] });
  expect(learned!.time).toBeLessThan(120_000);
});
