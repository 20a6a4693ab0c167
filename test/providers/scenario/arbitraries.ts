import * as fc from 'fast-check';
import { CLOUD_ACTIONS } from '../../../core/model/cloud-action.ts';
import type { ExternalChoice } from '../../../core/model/external-choice.ts';
import { groupName, instanceId, type NodeName, nodeName } from '../../../core/model/values/names.ts';
import { type Instance, launchFailureId, type NodeGroup, WARM_POOL_STATES } from '../../../core/model/node-group.ts';
import { PROVIDERS } from '../../../core/model/provider.ts';
import {
  CLUSTER_OPTIONS,
  defaultOptions,
  GROUP_OPTIONS,
  type GroupOptions,
  type Options,
  type OptionSpec,
} from '../../../core/model/options.ts';
import { unreadableNodeBudget } from '../../../core/model/node-budget.ts';
import { DISRUPTION_REASONS } from '../../../core/model/disruption.ts';
import { type Commitment, INSTANCE_COMMITMENT_KINDS } from '../../../core/model/commitment.ts';
import { type Pause, PAUSE_SOURCES, PAUSED_PARTS } from '../../../core/model/pause.ts';
import { type Notice, NOTICE_KINDS } from '../../../core/model/notice.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import { STORED_HEALTH_PROBLEMS } from '../../../core/model/health-problem.ts';
import { durationMs, minutes } from '../../../core/model/values/time.ts';
import { FAILURE_CLASSES } from '../../../providers/schema/names.ts';
import { clusterObjects, name, node, pod, time } from '../manifest/arbitraries.ts';

const orNull = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(item, { nil: null });
const few = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(item, { maxLength: 2 });
const record = <T>(value: fc.Arbitrary<T>) => fc.dictionary(name, value, { maxKeys: 3 });

const duration = fc.nat({ max: 400_000_000 }).map(durationMs);
const count = fc.nat({ max: 1_000 });
const figure = fc.double({ min: 0, max: 1e6, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const failureClass = fc.constantFrom(...FAILURE_CLASSES);
const group = name.map(groupName);
const onNode = name.map(nodeName);

/** Any value that an option may take. */
function optionValue(spec: OptionSpec): fc.Arbitrary<unknown> {
  switch (spec.kind) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Math.max(spec.min, -1_000), max: 1_000_000 });
    case 'number':
      return fc.double({ min: spec.min, max: Math.min(spec.max, 1_000), noNaN: true }).map((value) => value + 0);
    case 'duration':
      return duration;
    case 'durationOrAuto':
      return fc.oneof(duration, fc.constant('auto'));
    case 'string':
      return name;
    case 'namespace':
      return fc.constantFrom('kube-system', 'autoscaling', 'a', '0-1');
    case 'objectName':
      return fc.constantFrom('cluster-autoscaler-status', 'status.v1', 'a');
    case 'functionArn':
      return fc.constantFrom('', 'arn:aws:lambda:eu-west-1:111122223333:function:expander:live');
    case 'strings':
      return few(name);
    case 'choice':
      return fc.constantFrom(...spec.choices);
    case 'choices':
      // A random choice leaves one: nothing may follow it. The expander external needs another option.
      return fc
        .subarray(
          spec.choices.filter((one) => one !== 'external'),
          { minLength: 1 },
        )
        .map((chosen) => chosen.toSorted((a, b) => Number(a === 'random') - Number(b === 'random')));
    case 'range':
      return fc.tuple(count, count).map(([min, more]) => ({ min, max: min + more }));
    case 'gpuRanges':
      return fc.constantFrom([], [{ type: 'nvidia-tesla-t4', min: 0, max: 8 }]);
    case 'capacitySchedules':
      return fc.constantFrom(
        [],
        [
          { least: { nodes: 3 }, schedule: { cron: '0 8 * * 1-5', duration: minutes(600), timeZone: 'Europe/Berlin' } },
          {
            least: { resource: 'memory', amount: 100 * 1024 ** 3, text: '100Gi' },
            schedule: { cron: '@daily', duration: minutes(60), timeZone: 'UTC' },
          },
        ],
      );
    case 'prices':
      return fc.constantFrom(
        [],
        [
          { type: 'm5.large', zone: null, capacityType: 'on-demand', price: 0.06, covered: 12 },
          { type: null, zone: 'eu-west-1a', capacityType: null, price: 0, covered: null },
        ],
      );
    case 'disruptionBudgets':
      return fc.constantFrom(
        [],
        [{ nodes: { percent: 10 }, reasons: null, schedule: null, unreadable: null }],
        [
          { nodes: 0, reasons: ['Drifted', 'Expired'], schedule: null, unreadable: null },
          {
            nodes: 2,
            reasons: null,
            schedule: { cron: '0 22 * * 1-5', duration: minutes(480), timeZone: 'Europe/Berlin' },
            unreadable: null,
          },
        ],
        [unreadableNodeBudget('expected a disruption budget, found "many"')],
      );
    case 'drainPriorities':
      return fc.constantFrom(
        [],
        [{ priority: -5, graceSeconds: 60 }],
        [
          { priority: 0, graceSeconds: 30 },
          { priority: 1_000, graceSeconds: 120 },
        ],
      );
  }
}

const optionValues = (table: Readonly<Record<string, OptionSpec>>) =>
  fc.record(Object.fromEntries(Object.entries(table).map(([key, spec]) => [key, optionValue(spec)])), {
    requiredKeys: [],
    noNullPrototype: true,
  });

export const options: fc.Arbitrary<Options> = optionValues({ ...CLUSTER_OPTIONS, ...GROUP_OPTIONS })
  .map((given): Options => ({ ...defaultOptions(), ...given }))
  .map((all) => ({ ...all, balancingIgnoreLabel: all.balancingLabel.length > 0 ? [] : all.balancingIgnoreLabel }));

const instance: fc.Arbitrary<Instance> = fc.record({
  id: name.map(instanceId),
  node: orNull(onNode),
  zone: orNull(name),
  state: fc.constantFrom('Creating', 'Running', 'Deleting'),
  error: orNull(fc.record({ class: failureClass, code: name, message: fc.string() })),
});

const template = fc.record({ node, pods: fc.array(pod, { maxLength: 1 }) });

const nodeGroup: fc.Arbitrary<NodeGroup> = fc
  .record({
    name: group,
    minSize: count,
    maxSize: count,
    targetSize: count,
    options: optionValues(GROUP_OPTIONS).map((given): Partial<GroupOptions> => given),
    template: orNull(template),
    templateProblem: orNull(name),
    capacityType: orNull(name),
    alternatives: few(template),
    price: orNull(fc.double({ min: 0, max: 100, noNaN: true }).map((price) => price + 0)),
    nodes: few(onNode),
    instances: few(instance),
    launchFailures: few(fc.record({ zone: orNull(name), class: failureClass, code: name, message: fc.string() })),
    launchSuspended: fc.boolean(),
    paused: orNull(name),
    cloudActions: fc.option(fc.subarray([...CLOUD_ACTIONS]), { nil: undefined }),
    invalid: orNull(name),
    provider: fc.constantFrom(undefined, ...PROVIDERS),
    zonalShifts: fc.option(
      fc.array(fc.record({ zone: name, until: orNull(time), launches: fc.boolean() }), { maxLength: 2 }),
      { nil: undefined },
    ),
    warmPool: fc.option(fc.record({ size: count, state: fc.constantFrom(...WARM_POOL_STATES), reuse: fc.boolean() }), {
      nil: undefined,
    }),
  })
  .map(({ provider, warmPool, zonalShifts, cloudActions, ...one }) => ({
    ...one,
    ...(zonalShifts === undefined ? {} : { zonalShifts }),
    ...(cloudActions === undefined ? {} : { cloudActions }),
    ...(warmPool === undefined ? {} : { warmPool }),
    ...(provider === undefined ? {} : { provider }),
    minSize: Math.min(one.minSize, one.maxSize),
    launchFailures: one.launchFailures.map((failure) => ({ ...failure, id: instanceId('') })),
  }));

/** Groups, nodes and instances are each named once: a number makes their names so. */
const nodeGroups = fc.array(nodeGroup, { maxLength: 2 }).map((groups) =>
  groups.map((one, g) => ({
    ...one,
    name: groupName(`${one.name}${g}`),
    nodes: one.nodes.map((each, i): NodeName => nodeName(`${each}${g}${i}`)),
    instances: one.instances.map((each, i) => ({ ...each, id: instanceId(`${each.id}${g}${i}`) })),
    launchFailures: one.launchFailures.map((each, i) => ({ ...each, id: launchFailureId(groupName(`${g}`), i) })),
  })),
);

const times = { lastScaleUp: orNull(time), lastScaleDownDelete: orNull(time), lastScaleDownFailure: orNull(time) };

export const state: fc.Arbitrary<State> = fc.record({
  unneededSince: record(time),
  unregisteredSince: record(time),
  backoff: record(fc.record({ until: time, duration, lastFailure: time, class: failureClass })),
  scaleUpRequests: few(fc.record({ group, increase: count, time, expectedAddTime: time })),
  deletionsInProgress: few(
    fc.record({ node: onNode, group, kind: fc.constantFrom('empty' as const, 'drain' as const), since: time }),
  ),
  scaleDownRequests: few(fc.record({ group, node: onNode, time, expectedDeleteTime: time })),
  unremovableUntil: record(time),
  recentEvictions: few(pod),
  reservations: record(few(fc.record({ kind: name, count, existing: fc.option(count, { nil: undefined }) }))),
  reservedPacking: record(fc.record({ nodes: few(few(fc.record({ kind: name, count }))) })),
  disruptions: few(
    fc.record({
      nodes: few(name.map(nodeName)),
      reason: fc.constantFrom(...DISRUPTION_REASONS),
      replacement: orNull(name.map(groupName)),
      maxCost: fc.constantFrom(0, 0.096, 1.5),
      basis: fc.constantFrom('price', 'size'),
      saving: fc.constantFrom(-0.5, 0, 0.25),
      moves: count,
      since: time,
      deadline: time,
    }),
  ),
  monthCosts: few(
    fc.record({
      month: time,
      usd: figure,
      hours: figure,
      unpricedHours: figure,
      at: time,
      usdPerHour: figure,
      unpriced: count,
    }),
  ),
  unneededTimes: few(
    fc.record({
      group,
      time: duration,
      boot: orNull(duration),
      removals: count,
      relaunched: count,
      watched: few(fc.record({ node: onNode, at: time })),
    }),
  ),
  consolidationMoves: few(fc.record({ controller: name, first: time, last: time, pods: count })),
  lastEvaluation: orNull(time),
  lastScaleUpEvaluation: time,
  lastNotification: time,
  deferredPods: few(name),
  pausedSince: time,
  pausesInForce: few(name),
  problems: few(fc.record({ kind: fc.constantFrom(...STORED_HEALTH_PROBLEMS), since: time, about: name, pods: count })),
  incorrectSize: record(fc.record({ current: count, expected: count, firstObserved: time })),
  seenSizes: record(count),
  seenErrors: record(fc.uniqueArray(name.map(instanceId), { maxLength: 3 })),
  shortages: few(
    fc.record(
      { type: name, zone: name, capacityType: name, until: time, lastResort: fc.constant(true as const) },
      { requiredKeys: ['type', 'zone', 'capacityType', 'until'] },
    ),
  ),
  repairBackoff: record(time),
  ...times,
  groups: record(fc.record(times)),
});

const notice: fc.Arbitrary<Notice> = fc.record({
  instance: name.map(instanceId),
  group,
  kind: fc.constantFrom(...NOTICE_KINDS),
  receivedAt: time,
  endsAt: orNull(time),
  hook: orNull(
    fc.record(
      { name, token: fc.string(), heartbeatUntil: orNull(time), waitsSince: time },
      { requiredKeys: ['name', 'token', 'heartbeatUntil'] },
    ),
  ),
});

const pause: fc.Arbitrary<Pause> = fc.record({
  part: fc.constantFrom(...PAUSED_PARTS),
  group: orNull(group),
  until: orNull(time),
  cancelDrains: fc.boolean(),
  source: fc.constantFrom(...PAUSE_SOURCES),
});

const externalChoice: fc.Arbitrary<ExternalChoice> = fc.record({
  options: few(fc.record({ group, nodes: fc.nat(), pods: fc.nat() })),
  chosen: few(group),
  error: orNull(fc.string()),
});

const usd = fc.double({ min: 0.0001, max: 1e5, noNaN: true });

const commitment: fc.Arbitrary<Commitment> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(...INSTANCE_COMMITMENT_KINDS),
    type: name,
    zone: orNull(name),
    count: fc.nat(),
    available: orNull(fc.nat()),
    coversSizes: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('SavingsPlan' as const),
    family: orNull(name),
    commitment: usd,
    rates: fc.dictionary(name, usd),
  }),
  fc.record({ kind: fc.constant('Unread' as const), call: name }),
);

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    name: fc.string(),
    provider: fc.constantFrom(...PROVIDERS),
    now: time,
    seed: fc.integer(),
    options,
    nodeGroups,
    objects: clusterObjects,
    state,
    notices: few(notice),
    pauses: few(pause),
    commitments: few(commitment),
    externalChoices: few(externalChoice),
    kubernetesMinor: fc.option(fc.nat(999), { nil: undefined }),
  })
  .map(({ notices, pauses, commitments, externalChoices, kubernetesMinor, ...one }) => ({
    ...one,
    ...(kubernetesMinor !== undefined && { objects: { ...one.objects, kubernetesMinor } }),
    ...(externalChoices.length > 0 && { externalChoices }),
    ...(notices.length > 0 && { notices }),
    ...(pauses.length > 0 && { pauses }),
    ...(commitments.length > 0 && { commitments }),
  }));
