import { describe, expect, test } from 'vitest';
import { REMOVAL_ANNOTATION } from '../../../core/drain/removal-markers.ts';
import { nodeUids } from '../../../core/model/returned-instance.ts';
import { strayMarkers } from '../../../core/drain/stray-markers.ts';
import type { DrainPhase, StoredDrain } from '../../../core/model/drain.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import { addTime, type EpochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { withInFlightChanges } from '../../../core/actuation/changes/in-flight-changes.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { node } from '../../builders.ts';
import { group, NOW, running, scenario } from '../../scenario-builders.ts';

const drained = (phase: DrainPhase = 'Removed'): StoredDrain => ({
  drain: drainOf('n1', {
    group: groupName('a'),
    instance: instanceId('i-1'),
    phase,
    phaseSince: NOW,
    nodeUid: 'uid-n1',
  }),
  revision: 1,
  attempt: 1,
  drivenUntil: NOW,
});
const pooled = group('a', { target: 1, nodes: ['n1'], instances: [running('i-1', 'n1')], warmPool: { reuse: true } });
const unpooled: NodeGroup = { ...pooled, warmPool: { size: 1, state: 'Stopped', reuse: false } };
const leaving: NodeGroup = { ...pooled, instances: [{ ...running('i-1', 'n1'), state: 'Deleting' }] };
const starting: NodeGroup = { ...pooled, instances: [{ ...running('i-1', 'n1'), state: 'Creating' }] };
const soon = addTime(NOW, seconds(30));
const later = addTime(NOW, minutes(3));

describe('an instance that a drain has ended, and that is in its group', () => {
  test.each<readonly [string, NodeGroup, StoredDrain, EpochMs, { freed: readonly string[]; target: number }]>([
    ['has come back from the warm pool', pooled, drained(), later, { freed: ['n1'], target: 1 }],
    ['is shown by a list that is out of date', pooled, drained(), soon, { freed: [], target: 0 }],
    ['starts again', starting, drained(), soon, { freed: ['n1'], target: 1 }],
    ['is still to end', pooled, drained('AwaitingTermination'), later, { freed: [], target: 0 }],
    ['is in a group whose warm pool reuses none', unpooled, drained(), later, { freed: [], target: 0 }],
    ['is on its way out again', leaving, drained(), later, { freed: [], target: 1 }],
  ])('%s', (_, given, stored, now, expected) => {
    const marked = node('n1', {}, { annotations: { [REMOVAL_ANNOTATION]: 'earlier' } });
    const { objects } = scenario({ nodes: [marked] });
    const { targetSize, instances } = withInFlightChanges(
      given,
      { intents: [], state: EMPTY_STATE, drains: [stored] },
      now,
      nodeUids([marked]),
    );
    expect({
      freed: strayMarkers({ objects, nodeGroups: [given], now }, [stored]).map(({ name }) => name),
      target: targetSize,
    }).toEqual(expected);
    expect(instances.map(({ state }) => state === 'Deleting')).toEqual([expected.freed.length === 0]);
  });

  test.each([
    ['its Node has gone', []],
    ['another Node of that name is there', [node('n1', {}, { uid: 'of another life' })]],
  ])('has come back from the warm pool where %s', (_, nodes) => {
    const stored = { intents: [], state: EMPTY_STATE, drains: [drained()] };
    expect(withInFlightChanges(pooled, stored, soon, nodeUids(nodes))).toMatchObject(pooled);
    expect(withInFlightChanges(unpooled, stored, soon, nodeUids(nodes)).targetSize).toBe(0);
  });
});
