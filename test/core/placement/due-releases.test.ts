import { expect, test } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { isFresh, nextCheckAt } from '../../../core/placement/due-releases.ts';
import { AWAITING_PODS_TAINT } from '../../../core/model/cluster/node.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { addTime, epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { node } from '../../builders.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';

const AWAITING = { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' };
const held = (name: string, status: string, readyFor = 0) =>
  node(
    name,
    { cpu: 4, memory: '16Gi' },
    {
      taints: [AWAITING],
      conditions: [{ type: 'Ready', status, reason: '', since: epochMs(NOW - seconds(readyFor)) }],
    },
  );
const READY = held('ready', 'True');
const STARTING = held('starting', 'False');
const OTHER = held('other', 'True');
const DEVICES = held('devices', 'True', 12);

interface Given {
  readonly nodes?: readonly (typeof READY)[];
  readonly freed?: readonly (typeof READY)[];
  readonly told?: boolean;
  /** Nodes that await their devices. */
  readonly incomplete?: readonly (typeof READY)[];
  /** Minutes since nodes were asked for; absent: none were. */
  readonly asked?: number;
  readonly options?: object;
  readonly of?: object;
}

const looksAgainAfter = ({
  nodes = [],
  freed = [],
  told = true,
  incomplete = [],
  asked,
  options,
  of,
}: Given): number | null => {
  const state = {
    ...EMPTY_STATE,
    scaleUpRequests:
      asked === undefined
        ? []
        : [
            {
              group: groupName('web'),
              increase: 1,
              time: epochMs(NOW - minutes(asked)),
              expectedAddTime: addTime(NOW, minutes(14)),
            },
          ],
  };
  const input = scenario({ groups: [group('web', { ...of })], nodes, options: { plannedPlacement: true, ...options } });
  const awaitingDevices = incomplete.map(({ name }) => name);
  const scaleUp = { ...evaluateScaleUp(scenario({})).scaleUp, awaitingDevices };
  const at = nextCheckAt(input, { state, scaleUp }, { freed: new Set(freed), now: NOW, told });
  return at === null ? null : at - NOW;
};

test.each<[string, Given, number | null]>([
  ['never, without nodes to come', {}, null],
  ['never, when all are open', { nodes: [READY], freed: [READY] }, null],
  ['at once, when some are open and others wait', { nodes: [READY, OTHER], freed: [READY] }, 0],
  ['in a second, when none could be opened', { nodes: [READY, OTHER] }, seconds(1)],
  ['in half a minute, when a node is starting and the webhook tells', { nodes: [STARTING], asked: 1 }, seconds(30)],
  ['never, when nodes are on their way and the webhook tells', { asked: 1 }, null],
  ['soon, when nodes are on their way without a webhook', { asked: 1, told: false }, seconds(5)],
  ['soon, when a node is starting without a webhook', { nodes: [STARTING], asked: 5, told: false }, seconds(5)],
  ['at once, with a webhook or without', { nodes: [READY, OTHER], freed: [READY], asked: 1, told: false }, 0],
  [
    'once it is overdue, when one awaits devices and the webhook tells of them',
    { nodes: [DEVICES], incomplete: [DEVICES] },
    18_001,
  ],
  ['at the latest of one that has just become ready', { nodes: [READY], incomplete: [READY] }, seconds(30)],
  [
    'soon, when one awaits devices without a webhook',
    { nodes: [DEVICES], incomplete: [DEVICES], told: false },
    seconds(5),
  ],
  [
    'at once, when one awaits devices and another waits for nothing',
    { nodes: [DEVICES, OTHER, READY], incomplete: [DEVICES], freed: [READY] },
    0,
  ],
  [
    'once it is overdue, when one awaits devices and another is open',
    { nodes: [DEVICES, READY], incomplete: [DEVICES], freed: [READY] },
    18_001,
  ],
  ['never, when one that awaited devices is open', { nodes: [DEVICES], incomplete: [DEVICES], freed: [DEVICES] }, null],
  ['no longer soon, when nodes do not come', { asked: 5.1, told: false }, null],
  ['as before, when a node starts that was not asked for', { nodes: [STARTING], told: false }, seconds(30)],
  ['never, where the option is off', { asked: 1, told: false, options: { plannedPlacement: false } }, null],
  [
    'never, where the option is off for the group',
    { asked: 1, told: false, of: { options: { plannedPlacement: false } } },
    null,
  ],
])('nodes are looked at again %s', (_, given, after) => {
  expect(looksAgainAfter(given)).toBe(after);
});

test.each([
  [0, true],
  [10, true],
  [11, false],
  [-1, false],
])('pods may be nominated by a plan %i seconds after it was made: %s', (age, expected) => {
  expect(isFresh({ now: NOW }, epochMs(NOW + age * 1_000))).toBe(expected);
});
