import { describe, expect, test } from 'vitest';
import { intentsOf } from '../../../../core/actuation/intents-of.ts';
import { evaluate } from '../../../../core/evaluate.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { State } from '../../../../core/model/state.ts';
import { minutes } from '../../../../core/model/values/time.ts';
import { node, pod } from '../../../builders.ts';
import { scenario } from '../../../scenario-builders.ts';
import { inMinutes, minutesAgo, NAME, populated, type Population, registryOf, request } from '../given.ts';

const whole = (population: Population, wanted = true): NodeGroup => ({
  ...populated(population),
  options: { zeroOrMaxNodeScaling: wanted },
});
const OPEN: Partial<State> = { scaleUpRequests: [request(8)] };
const BACKED_OFF: Partial<State> = {
  backoff: {
    [NAME]: { class: 'OutOfResources', until: inMinutes(4), lastFailure: minutesAgo(1), duration: minutes(5) },
  },
};
const LATE: Partial<State> = { scaleUpRequests: [request(8, minutesAgo(1))] };

/** `DeleteErrored i-g-0`, `DecreaseTarget 8→6`. */
function repairs(group: NodeGroup, state: Partial<State> = {}): readonly string[] {
  return registryOf([group], state).report.repairs.map((repair) =>
    'instance' in repair ? `${repair.kind} ${repair.instance}` : `${repair.kind} ${repair.from}→${repair.to}`,
  );
}

describe('an all-or-nothing group of which a part fails', () => {
  test.each<[string, Population, Partial<State>, readonly string[]]>([
    [
      'whose launch failed: all instances that are no nodes are ended, and none is waited for',
      { target: 8, unregistered: 2, errors: ['OutOfResources'] },
      OPEN,
      [
        'DeleteErrored i-placeholder-g-0',
        'DeleteIncomplete i-g-new0',
        'DeleteIncomplete i-g-new1',
        'DecreaseTarget 8→3',
      ],
    ],
    [
      'that was created with an error',
      { target: 3, unregistered: 2, broken: 1 },
      OPEN,
      ['DeleteErrored i-g-broken0', 'DeleteIncomplete i-g-new0', 'DeleteIncomplete i-g-new1'],
    ],
    [
      'that never became a node',
      { target: 2, unregistered: 1, long: 1 },
      {},
      ['DeleteUnregistered i-g-long0', 'DeleteIncomplete i-g-new0'],
    ],
    ['that never came', { target: 3, unregistered: 1 }, LATE, ['DeleteIncomplete i-g-new0', 'DecreaseTarget 3→1']],
    ['and another comes later', { target: 1, unregistered: 1 }, BACKED_OFF, ['DeleteIncomplete i-g-new0']],
    ['keeps its nodes', { target: 8, ready: 7, errors: ['Quota'] }, OPEN, ['DeleteErrored i-placeholder-g-0']],
    [
      'keeps its minimum, and is then not ended in part',
      { min: 2, target: 3, unregistered: 2, errors: ['Quota'] },
      OPEN,
      ['DeleteErrored i-placeholder-g-0'],
    ],
  ])('%s', (_, population, state, expected) => {
    expect(repairs(whole(population), state)).toEqual(expected);
  });

  test.each<[string, Population, Partial<State>]>([
    ['while its request is open', { target: 8, unregistered: 3 }, OPEN],
    ['while it is open again after a failure', { target: 8, unregistered: 3 }, { ...BACKED_OFF, ...OPEN }],
    ['when it is there', { target: 8, ready: 8 }, BACKED_OFF],
    ['when AWS replaces an instance of it', { target: 8, ready: 7, unregistered: 1 }, BACKED_OFF],
  ])('is left alone %s', (_, population, state) => {
    const again = state.backoff === undefined ? state : { ...state, backoff: olderThan(state.backoff) };
    expect(repairs(whole(population), again)).toEqual([]);
  });

  test('is no place for pods any more, and its request is over', () => {
    const { groups, state } = registryOf([whole({ target: 8, unregistered: 2, errors: ['Quota'] })], OPEN);
    expect(groups.get(NAME)).toMatchObject({ upcoming: 0, target: 0, backoff: { class: 'Quota' } });
    expect(state.scaleUpRequests).toEqual([]);
  });

  test('of any other kind keeps what comes', () => {
    const group = whole({ target: 8, unregistered: 2, errors: ['Quota'] }, false);
    expect(repairs(group, OPEN)).toEqual(['DeleteErrored i-placeholder-g-0']);
    expect(registryOf([group], OPEN).groups.get(NAME)!.upcoming).toBe(2);
  });

  test('is lowered before its instances are ended, and its pods are planned elsewhere', () => {
    const broken = whole({ target: 8, unregistered: 2, errors: ['Quota'] });
    const given = scenario({
      groups: [broken, populated({ target: 0 }, 'other')],
      nodes: [node('ready')],
      pods: [pod('p', { requests: { cpu: 1 } })],
      state: OPEN,
    });
    const decision = evaluate(given);
    expect(decision.scaleUp.increases).toEqual([{ group: 'other', from: 0, to: 1 }]);
    const intents = intentsOf(decision, given, 1).filter(({ group }) => group === NAME);
    expect(intents).toMatchObject([
      { kind: 'SetSize', from: 8, to: 2 },
      { kind: 'DeleteInstances', instances: ['i-g-new0', 'i-g-new1'], force: false },
    ]);
  });
});

/** A backoff that was over when the request was made. */
const olderThan = (backoff: State['backoff']): State['backoff'] =>
  Object.fromEntries(
    Object.entries(backoff).map(([group, one]) => [group, { ...one, lastFailure: minutesAgo(30) }]),
  ) as State['backoff'];
