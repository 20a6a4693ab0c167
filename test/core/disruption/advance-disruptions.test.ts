import { describe, expect, test } from 'vitest';
import { explain } from '../../../core/words/explain.ts';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Disruption, DisruptionCancelled } from '../../../core/model/disruption.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import type { Instance, NodeGroup } from '../../../core/model/node-group.ts';
import type { Options } from '../../../core/model/options.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import type { Controller } from '../../../core/model/cluster/workloads.ts';
import { budget, pod } from '../../builders.ts';
import { backoffSince, group, NOW, running } from '../../scenario-builders.ts';
import { ago, AT_ONCE, BEFORE, clusterOf, replica, WEB, workerNode } from '../scaledown/cluster.ts';

const DRIFT: Partial<Options> = { driftReplacement: 'replace' };
const drifted = (id: string, of: string | null): Instance => ({
  ...running(id, of),
  drifted: 'launch template version 1, not 2',
});
const AGENT: Controller = {
  ...WEB,
  kind: 'DaemonSet',
  name: 'agent',
  uid: 'uid-DaemonSet/agent',
  replicas: null,
  template: pod('agent', { owner: 'DaemonSet/agent', requests: { cpu: '100m' } }),
};

interface Given {
  readonly options?: Partial<Options>;
  readonly state?: Partial<State>;
  readonly pods?: readonly Pod[];
  readonly web?: Parameters<typeof group>[1];
  readonly objects?: Parameters<typeof clusterOf>[0]['objects'];
  readonly others?: readonly NodeGroup[];
  /** Nodes that have come since. */
  readonly fresh?: readonly string[];
  readonly now?: Scenario['now'];
}

const FULL = { requests: { cpu: '3', memory: '1Gi' } };

/** Two full nodes, of which `old` has drifted. */
const world = ({ options, state, pods, web, objects, others = [], fresh = [], now = NOW }: Given = {}): Scenario => ({
  ...clusterOf({
    nodes: [
      ...['b', 'old'].map((name) => workerNode(name, { createdAt: ago(600) })),
      ...fresh.map((name) => workerNode(name, { createdAt: addTime(NOW, minutes(3)) })),
    ],
    pods: pods ?? [replica('p', 'old', FULL), replica('q', 'b', FULL)],
    groups: [
      group('web', {
        nodes: ['b', 'old', ...fresh],
        instances: [running('i-b', 'b'), drifted('i-old', 'old'), ...fresh.map((name) => running(`i-${name}`, name))],
        ...web,
      }),
      ...others,
    ],
    options: { ...DRIFT, ...options },
    state: { ...BEFORE, lastScaleUpEvaluation: ago(1), ...state },
    objects: { controllers: [WEB, AGENT], ...objects },
  }),
  now,
});

const COMMAND: Disruption = {
  nodes: [nodeName('old')],
  reason: 'Drifted',
  replacement: groupName('web'),
  maxCost: 1,
  basis: 'size',
  saving: 0,
  moves: 1,
  since: NOW,
  deadline: addTime(NOW, minutes(30)),
};
const waits: Partial<State> = { disruptions: [COMMAND] };
const said = ({ scaleDown }: Decision): string =>
  (scaleDown.disruptions ?? [])
    .map(({ state, cancelled }) => (cancelled === undefined ? state : `${state} ${cancelled}`))
    .join();
const removed = ({ scaleDown }: Decision) => scaleDown.removals.map(({ node, reason }) => [node, reason]);
const daemonOn = (node: string, ready = true): Pod =>
  pod(`agent-${node}`, { node, owner: 'DaemonSet/agent', requests: { cpu: '100m' }, ready, phase: 'Running' });

describe('a node that is to be replaced', () => {
  test('waits, untouched, for the nodes that scale-up is to launch', () => {
    const { scaleDown, state } = evaluateScaleDown(world());
    expect(scaleDown).toMatchObject({ removals: [], awaitsScaleUp: true, disruptions: [{ state: 'Waiting' }] });
    expect(state.disruptions).toMatchObject([
      {
        nodes: ['old'],
        reason: 'Drifted',
        replacement: 'web',
        saving: 0,
        moves: 1,
        since: NOW,
        deadline: COMMAND.deadline,
      },
    ]);
    expect(state.deletionsInProgress).toEqual([]);
  });

  test('stays where its group is scaled as a whole: it could not be removed alone when another group had launched a node for it', () => {
    const given = (zeroOrMaxNodeScaling: boolean): Given => ({
      web: { options: { zeroOrMaxNodeScaling } },
      others: [group('other')],
    });
    expect(evaluateScaleDown(world(given(false))).scaleDown).toMatchObject({ disruptions: [{ state: 'Waiting' }] });
    const { scaleDown, state } = evaluateScaleDown(world(given(true)));
    expect(scaleDown.removals).toEqual([]);
    expect(scaleDown.awaitsScaleUp).toBeUndefined();
    expect(state.disruptions).toBeUndefined();
    expect(scaleDown.unremovable.find(({ node }) => node === 'old')?.message).toContain(
      'drifted: launch template version 1, not 2; node group web is scaled as a whole, so it is not replaced node by node',
    );
  });

  test('has its replacement launched by scale-up, which says nothing of its pods and begins no delay', () => {
    const { scaleUp, state } = evaluateScaleUp(world({ state: waits }));
    expect(scaleUp).toMatchObject({ result: 'ScaledUp', increases: [{ group: 'web', from: 2, to: 3 }], pods: [] });
    expect(state).toMatchObject({ lastScaleUp: null, disruptions: [COMMAND], deletionsInProgress: [] });
    expect(state.reservations).toMatchObject({ web: [{ count: 1 }] });
  });

  test('waits for a place for pods that tolerate its taint, as for others', () => {
    const tolerations = [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }];
    const given = {
      pods: [replica('p', 'old', { ...FULL, spec: { tolerations } }), replica('q', 'b', FULL)],
      state: waits,
    };
    expect(evaluateScaleUp(world(given)).scaleUp.increases).toMatchObject([{ group: 'web', from: 2, to: 3 }]);
    const { scaleDown } = evaluateScaleDown(world(given));
    expect(scaleDown).toMatchObject({ removals: [], disruptions: [{ state: 'Waiting' }] });
  });

  test('has a replacement launched once', () => {
    const launched = evaluateScaleUp(world({ state: waits })).state;
    const next = evaluateScaleUp(world({ state: launched, web: { target: 3 }, now: addTime(NOW, minutes(1)) }));
    expect(next.scaleUp.increases).toEqual([]);
    expect(next.state.reservations).toMatchObject({ web: [{ count: 1 }] });
  });

  test('stays while the new node is on its way', () => {
    const launched = evaluateScaleUp(world({ state: waits })).state;
    const decision = evaluateScaleDown(world({ state: launched, web: { target: 3 }, now: addTime(NOW, minutes(1)) }));
    expect([said(decision), removed(decision)]).toEqual(['Waiting', []]);
    expect(decision.state.disruptions).toEqual([COMMAND]);
    expect(decision.scaleDown.unremovable).toContainEqual({ node: 'old', reason: 'ReplacementPending' });
    expect(decision.scaleDown.awaitsScaleUp).toBeUndefined();
  });

  const came = { state: waits, fresh: ['new'], now: addTime(NOW, minutes(5)) };
  const PODS = [replica('p', 'old', FULL), replica('q', 'b', FULL)];

  test('goes once the new node is ready and its DaemonSet pods run', () => {
    const decision = evaluateScaleDown(world({ ...came, pods: [...PODS, daemonOn('new')] }));
    expect([said(decision), removed(decision)]).toEqual(['Ready', [['old', 'Drifted']]]);
    expect(decision.scaleDown.removals[0]).toMatchObject({ kind: 'drain', pods: ['default/p'] });
    expect(decision.state.disruptions).toBeUndefined();
    expect(decision.state.deletionsInProgress).toMatchObject([{ node: 'old', kind: 'drain' }]);
  });

  test.each([
    ['has none', []],
    ['has one that is not ready', [daemonOn('new', false)]],
  ])('stays while the new node %s of its DaemonSet pods', (_, daemons) => {
    const decision = evaluateScaleDown(world({ ...came, pods: [...PODS, daemonOn('b'), ...daemons] }));
    expect([said(decision), removed(decision)]).toEqual(['Waiting', []]);
    expect(decision.scaleDown.disruptions![0]!.message).toBe(
      'DaemonSet default/agent has no ready pod on node new yet',
    );
  });

  test('goes without DaemonSet pods on the new node that run on no other node of its group', () => {
    const objects = { controllers: [WEB, { ...AGENT, template: { ...AGENT.template!, namespace: 'evil' } }] };
    const decision = evaluateScaleDown(world({ ...came, pods: PODS, objects }));
    expect([said(decision), removed(decision)]).toEqual(['Ready', [['old', 'Drifted']]]);
  });

  test('goes to a new node that stays, even if that one is not as its group is now either', () => {
    const instances = [running('i-b', 'b'), drifted('i-old', 'old'), drifted('i-new', 'new')];
    const decision = evaluateScaleDown(world({ ...came, pods: [...PODS, daemonOn('new')], web: { instances } }));
    expect(removed(decision)).toEqual([['old', 'Drifted']]);
    expect(decision.scaleDown.unremovable).toContainEqual(
      expect.objectContaining({ node: 'new', message: expect.stringContaining('pending pods fit on this node') }),
    );
  });

  test('is held while a PodDisruptionBudget allows nothing, and goes when it does', () => {
    const given = (allowed: number): Given => ({
      ...came,
      pods: [...PODS.map((one) => ({ ...one, labels: { app: 'web' } })), daemonOn('new')],
      objects: { podDisruptionBudgets: [budget({ disruptionsAllowed: allowed })] },
    });
    const held = evaluateScaleDown(world(given(0)));
    expect([said(held), removed(held), held.state.disruptions]).toEqual(['Held', [], [COMMAND]]);
    expect(said(evaluateScaleDown(world(given(1))))).toBe('Ready');
  });

  test('is held while as many nodes are drained as may be', () => {
    const busy = { ...came, options: { maxDrainParallelism: 0 }, pods: [...PODS, daemonOn('new')] };
    const held = evaluateScaleDown(world(busy));
    expect([said(held), removed(held), held.state.disruptions]).toEqual(['Held', [], [COMMAND]]);
    expect(held.scaleDown.disruptions).toMatchObject([{ cause: 'drifted: launch template version 1, not 2' }]);
    expect(held.scaleDown.unremovable).toContainEqual(
      expect.objectContaining({ node: 'old', reason: 'NodeGroupMaxDeletionCountReached' }),
    );
  });

  test('has the only drain before nodes that are not needed', () => {
    // The pod of `idle` has room on `b`, that of `old` on `new` alone.
    const pods = [
      replica('p', 'old', FULL),
      replica('q', 'b', { requests: { cpu: '2.3', memory: '1Gi' } }),
      replica('r', 'idle', { requests: { cpu: '1.5', memory: '1Gi' } }),
      daemonOn('new'),
    ];
    const given = (state: Partial<State>): Scenario =>
      clusterOf({
        nodes: [
          ...['b', 'idle', 'old'].map((name) => workerNode(name, { createdAt: ago(600) })),
          workerNode('new', { createdAt: addTime(NOW, minutes(3)) }),
        ],
        pods,
        groups: [
          group('web', {
            nodes: ['b', 'idle', 'new', 'old'],
            instances: [
              running('i-b', 'b'),
              running('i-idle', 'idle'),
              running('i-new', 'new'),
              drifted('i-old', 'old'),
            ],
          }),
        ],
        options: { ...DRIFT, maxDrainParallelism: 1 },
        state: { ...BEFORE, lastScaleUpEvaluation: ago(1), ...state },
        objects: { controllers: [WEB, AGENT] },
      });
    const later = (given: Scenario): Scenario => ({ ...given, now: addTime(NOW, minutes(5)) });
    const { options, ...others } = later(given({}));
    const off = { ...others, options: { ...options, driftReplacement: 'off' as const } };
    expect(removed(evaluateScaleDown(off))).toContainEqual(['idle', undefined]);
    expect(removed(evaluateScaleDown(later(given(waits))))).toEqual([['old', 'Drifted']]);
  });

  test('has the only drain before one that has waited less long, and whose pods are larger', () => {
    const younger: Disruption = { ...COMMAND, nodes: [nodeName('b')], since: addTime(NOW, minutes(1)) };
    const decision = evaluateScaleDown(
      world({
        ...came,
        state: { disruptions: [younger, COMMAND] },
        options: { maxDrainParallelism: 1 },
        fresh: ['new', 'newer'],
        web: {
          instances: [
            drifted('i-b', 'b'),
            drifted('i-old', 'old'),
            ...['new', 'newer'].map((name) => running(`i-${name}`, name)),
          ],
        },
        pods: [
          replica('p', 'old', { requests: { cpu: '2' } }),
          replica('q', 'b', FULL),
          ...['new', 'newer'].map((on) => daemonOn(on)),
        ],
      }),
    );
    expect(removed(decision)).toEqual([['old', 'Drifted']]);
    expect(said(decision)).toBe('Held,Ready');
  });

  test.each([
    ['b', { b: '2', old: '500m' }],
    ['old', { b: '500m', old: '2' }],
  ])('of several together has the only drain first where its pods are the largest: %s', (first, cpu) => {
    const together: Disruption = { ...COMMAND, nodes: [nodeName('b'), nodeName('old')] };
    const decision = evaluateScaleDown(
      world({
        ...came,
        state: { disruptions: [together] },
        options: { maxDrainParallelism: 1 },
        web: { instances: [drifted('i-b', 'b'), drifted('i-old', 'old'), running('i-new', 'new')] },
        pods: [
          replica('p', 'old', { requests: { cpu: cpu.old, memory: '1Gi' } }),
          replica('q', 'b', { requests: { cpu: cpu.b, memory: '1Gi' } }),
          daemonOn('new'),
        ],
      }),
    );
    expect(removed(decision)).toEqual([[first, 'Drifted']]);
  });

  describe('while a disruption budget of 0 is in force', () => {
    const frozen = (length: number): Given => ({
      ...came,
      pods: [...PODS, daemonOn('new')],
      options: {
        disruptionBudgets: [
          {
            nodes: 0,
            reasons: null,
            schedule: { cron: '0 * * * *', duration: minutes(length), timeZone: 'UTC' },
            unreadable: null,
          },
        ],
      },
    });

    test('waits on, if it ends before the time of the disruption is over', () => {
      const held = evaluateScaleDown(world(frozen(29)));
      expect([said(held), removed(held), held.state.disruptions]).toEqual(['Held', [], [COMMAND]]);
      expect(held.scaleDown.disruptions![0]!.message).toContain('until');
      const after = evaluateScaleDown(world({ ...frozen(29), now: addTime(NOW, minutes(29)) }));
      expect(said(after)).toBe('Ready');
    });

    test('waits on, if it ends with the next minute, and the time of the disruption with it', () => {
      const given = frozen(5);
      const soon = { ...COMMAND, deadline: addTime(NOW, minutes(5)) };
      const held = evaluateScaleDown(
        world({ ...given, now: addTime(NOW, minutes(4)), state: { disruptions: [soon] } }),
      );
      expect([said(held), held.state.disruptions]).toEqual(['Held', [soon]]);
    });

    test('is canceled, if it does not', () => {
      const over = evaluateScaleDown(world(frozen(31)));
      expect([said(over), removed(over), over.state.disruptions]).toEqual(['Cancelled BudgetZero', [], undefined]);
    });

    test('is canceled, if it does not within a day, whatever the time of the disruption', () => {
      const never = { ...COMMAND, deadline: epochMs(8.64e15) };
      const always = { nodes: 0, reasons: null, schedule: null, unreadable: null };
      const given = { ...frozen(60), options: { disruptionBudgets: [always] }, state: { disruptions: [never] } };
      expect(said(evaluateScaleDown(world(given)))).toBe('Cancelled BudgetZero');
    });

    test('is canceled, if one of its node group does not', () => {
      const always = { nodes: 0, reasons: null, schedule: null, unreadable: null };
      const over = evaluateScaleDown(world({ ...frozen(29), web: { options: { disruptionBudgets: [always] } } }));
      expect(said(over)).toBe('Cancelled BudgetZero');
    });
  });

  test('is decided alike by the whole evaluation', () => {
    const decision = evaluate(world({ ...came, pods: [...PODS, daemonOn('new')] }));
    expect([said(decision), removed(decision)]).toEqual(['Ready', [['old', 'Drifted']]]);
  });
});

describe('a node with a pod that must complete first', () => {
  const ON_COMPLETION = { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'on-completion' } };
  const small = { requests: { cpu: '2', memory: '1Gi' } };
  const batch = replica('batch', 'old', { requests: { cpu: '1', memory: '1Gi' }, ...ON_COMPLETION });
  const pods = [replica('p', 'old', small), replica('q', 'b', FULL), batch];

  test('has nothing launched in its place, is avoided by new pods, and says why, for however long', () => {
    let state: Partial<State> = { unremovableUntil: { [nodeName('old')]: addTime(NOW, minutes(90)) } };
    for (const after of [0, 1, 60]) {
      const now = addTime(NOW, minutes(after));
      const { scaleDown, state: next } = evaluateScaleDown(world({ pods, state, now }));
      expect(scaleDown).toMatchObject({ removals: [], unneeded: ['old'] });
      expect([scaleDown.disruptions, scaleDown.awaitsScaleUp, next.disruptions]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(next.unneededSince).toEqual({ old: now });
      expect(scaleDown.unremovable.filter(({ node }) => node === 'old')).toEqual([
        {
          node: 'old',
          reason: 'BlockedByOnCompletionPod',
          pod: 'default/batch',
          message:
            'drifted: launch template version 1, not 2; its replacement is not launched until its pods that must complete have done so',
        },
      ]);
      expect(evaluateScaleUp(world({ pods, state: next, now })).scaleUp.increases).toEqual([]);
      state = next;
    }
  });

  test('is replaced when the pod has ended', () => {
    const ended = [...pods.slice(0, 2), { ...batch, phase: 'Succeeded' as const }];
    const waiting = evaluateScaleDown(world({ pods })).state;
    const { scaleDown } = evaluateScaleDown(world({ pods: ended, state: waiting }));
    expect(scaleDown).toMatchObject({ disruptions: [{ state: 'Waiting', replacement: 'web' }], unneeded: [] });
  });

  test('has none for a pod of a Job that has run for longer than jobProtectionAge either', () => {
    const job = { ...replica('work', 'old', { ...small, owner: 'Job/work' }), startedAt: ago(6) };
    const controllers = [WEB, AGENT, { ...WEB, kind: 'Job' as const, name: 'work', uid: 'uid-Job/work', replicas: 1 }];
    const given = { pods: [...pods.slice(1, 2), job], objects: { controllers } };
    const { scaleDown, state } = evaluateScaleDown(world(given));
    expect([scaleDown.unneeded, state.disruptions]).toEqual([['old'], undefined]);
    expect(scaleDown.unremovable.find(({ node }) => node === 'old')).toMatchObject({ podReason: 'JobRunning' });
    const younger = evaluateScaleDown(world({ ...given, options: { jobProtectionAge: minutes(7) } }));
    expect(said(younger)).toBe('Waiting');
  });

  test('takes neither places nor what is left of a PodDisruptionBudget from others', () => {
    // The pods of `old`, which comes first, and of `b` have room on `kept`, one at a time.
    const web = (name: string, on: string): Pod =>
      replica(name, on, { requests: { cpu: '2.2', memory: '1Gi' }, labels: { app: 'web' } });
    const given = (more: readonly Pod[]): Scenario => {
      const scenario = world({
        pods: [web('p', 'old'), web('q', 'b'), pod('bare', { node: 'kept' }), ...more],
        fresh: ['kept'],
        now: addTime(NOW, minutes(30)),
        web: { max: 3, instances: [drifted('i-b', 'b'), drifted('i-old', 'old'), running('i-kept', 'kept')] },
        objects: { podDisruptionBudgets: [budget({ disruptionsAllowed: 1 })] },
      });
      const { objects } = scenario;
      const nodes = objects.nodes.map((node) => (node.name === 'old' ? { ...node, createdAt: ago(900) } : node));
      return { ...scenario, objects: { ...objects, nodes } };
    };
    expect(removed(evaluateScaleDown(given([])))).toEqual([['old', 'Drifted']]);
    expect(removed(evaluateScaleDown(given([batch])))).toEqual([['b', 'Drifted']]);
  });

  test('is left as it is where a disruption budget allows it never, or pods of others would move to it', () => {
    const never = { nodes: 0, reasons: null, schedule: null, unreadable: null };
    const frozen = evaluateScaleDown(world({ pods, options: { disruptionBudgets: [never] } }));
    expect(frozen.scaleDown.unneeded).toEqual([]);
    const light = replica('q', 'b', { requests: { cpu: '500m', memory: '1Gi' } });
    const taking = evaluateScaleDown(world({ pods: [pods[0]!, light, batch] }));
    expect(taking.scaleDown).toMatchObject({ unneeded: ['b'], removals: [{ node: 'b' }] });
    expect(taking.scaleDown.unremovable.find(({ node }) => node === 'old')?.message).toContain(
      'pods of removed nodes would move to it',
    );
  });

  test('is held, and says why, where the pod has come since its replacement was launched', () => {
    const came = { state: waits, fresh: ['new'], now: addTime(NOW, minutes(5)), pods: [...pods, daemonOn('new')] };
    const decision = evaluateScaleDown(world(came));
    expect([said(decision), removed(decision), decision.state.disruptions]).toEqual(['Held', [], [COMMAND]]);
    expect(decision.scaleDown.disruptions![0]!.message).toBe('BlockedByOnCompletionPod, pod default/batch');
  });

  test('of a disruption for several nodes is left behind by the others, and takes nothing from them', () => {
    const both: Disruption = { ...COMMAND, nodes: [nodeName('b'), nodeName('old')] };
    const labelled = { ...small, labels: { app: 'web' } };
    const decision = evaluateScaleDown(
      world({
        state: { disruptions: [both] },
        fresh: ['new', 'newer'],
        now: addTime(NOW, minutes(5)),
        pods: [
          replica('p', 'b', labelled),
          replica('q', 'old', labelled),
          { ...batch, nodeName: nodeName('b') },
          daemonOn('new'),
          daemonOn('newer'),
        ],
        web: {
          instances: [
            drifted('i-b', 'b'),
            drifted('i-old', 'old'),
            running('i-new', 'new'),
            running('i-newer', 'newer'),
          ],
        },
        objects: { podDisruptionBudgets: [budget({ disruptionsAllowed: 1 })] },
      }),
    );
    expect([said(decision), removed(decision)]).toEqual(['Ready', [['old', 'Drifted']]]);
    expect(decision.state.disruptions).toMatchObject([{ nodes: ['b'] }]);
  });
});

describe('two nodes whose pods are of one kind, and one place for them', () => {
  const given = (since: number, more: Partial<Given> = {}): Given => ({
    fresh: ['new'],
    now: addTime(NOW, minutes(5)),
    state: { disruptions: [{ ...COMMAND, nodes: [nodeName('b')], since: addTime(NOW, minutes(since)) }, COMMAND] },
    web: { max: 3, instances: [drifted('i-b', 'b'), drifted('i-old', 'old'), running('i-new', 'new')] },
    pods: [replica('p', 'old', FULL), replica('q', 'b', FULL), daemonOn('new')],
    ...more,
  });

  test.each([
    [1, 'old'],
    [-1, 'b'],
  ])('the one that has waited for longest goes (%d)', (since, goes) => {
    const decision = evaluateScaleDown(world(given(since)));
    expect(removed(decision)).toEqual([[goes, 'Drifted']]);
    expect(decision.state.disruptions).toHaveLength(1);
  });

  test('one that needs more places than there are leaves them to the next', () => {
    const small = { requests: { cpu: '2', memory: '1Gi' } };
    const pods = [
      replica('p1', 'old', small),
      replica('p2', 'old', { requests: { cpu: '1.95', memory: '1Gi' } }),
      replica('q', 'b', small),
      daemonOn('new'),
    ];
    expect(removed(evaluateScaleDown(world(given(1, { pods }))))).toEqual([['b', 'Drifted']]);
  });

  test('none goes while a pod that waits has the place', () => {
    const pods = [...given(1).pods!, pod('waiting', { ...FULL, owner: 'ReplicaSet/web' })];
    const decision = evaluateScaleDown(world(given(1, { pods })));
    expect([said(decision), removed(decision)]).toEqual(['Waiting,Waiting', []]);
  });

  test('the next one waits for its own place while the pods of the first move', () => {
    const first = evaluateScaleDown(world(given(1)));
    const decision = evaluateScaleDown(world(given(1, { state: first.state, now: addTime(NOW, minutes(6)) })));
    expect([said(decision), removed(decision)]).toEqual(['Waiting', []]);
  });
});

describe('a node of a group at its minimum', () => {
  const RATHER_FULL = { requests: { cpu: '2.8', memory: '1Gi' } };
  /** An empty node of another group; it may have to stay. */
  const empty = (more: Given = {}, min = 0): Scenario => {
    const { objects, nodeGroups, ...rest } = world({ web: { min: 2, ...more.web }, ...more });
    return {
      ...rest,
      objects: { ...objects, nodes: [...objects.nodes, workerNode('spare', { createdAt: ago(600) })] },
      nodeGroups: [...nodeGroups, group('other', { min, nodes: ['spare'], instances: [running('i-spare', 'spare')] })],
    };
  };
  const pods = [replica('p', 'old', RATHER_FULL), replica('q', 'b', FULL)];

  test('is replaced within its group, though its pods have room on nodes that are there', () => {
    const options = { scaleDownUnneededTime: minutes(10) };
    for (const kept of [0, 1]) {
      const { disruptions } = evaluateScaleDown(empty({ pods, options }, kept)).state;
      expect(disruptions).toMatchObject([{ nodes: ['old'], replacement: 'web' }]);
    }
  });

  test('has a node of its group launched, wherever its pods fit, and no delay of scale-down begins', () => {
    const decision = evaluateScaleUp(empty({ pods, state: waits }));
    expect(decision.scaleUp.increases).toEqual([]);
    expect(decision.registry.repairs).toEqual([{ kind: 'IncreaseToMin', group: 'web', from: 2, to: 3 }]);
    expect(decision.state.scaleUpRequests).toMatchObject([{ group: 'web', increase: 1 }]);
    expect(decision.state.lastScaleUp).toEqual(empty().state.lastScaleUp);
  });

  test('has one node launched and no more', () => {
    const coming = { min: 2, target: 3 };
    expect(evaluateScaleUp(empty({ pods, state: waits, web: coming })).registry.repairs).toEqual([]);
  });

  test('waits until that node is ready', () => {
    const web = { min: 2, target: 3 };
    const decision = evaluateScaleDown(empty({ pods, state: waits, web, now: addTime(NOW, minutes(1)) }));
    expect([said(decision), removed(decision)]).toEqual(['Waiting', []]);
    expect(decision.scaleDown.disruptions![0]!.message).toContain('fewer ready nodes than its minimum');
  });

  test('is removed then, and the new node is kept though it is empty', () => {
    const options = { scaleDownUnneededTime: minutes(0), scaleDownDelayAfterAdd: minutes(0) };
    const all = [...pods, ...['new', 'b', 'old', 'spare'].map((node) => daemonOn(node))];
    const given: Given = { pods: all, state: waits, fresh: ['new'], now: addTime(NOW, minutes(5)), options };
    const decision = evaluateScaleDown(empty(given));
    expect(removed(decision)).toContainEqual(['old', 'Drifted']);
    const schedule = { cron: '0 * * * *', duration: minutes(29), timeZone: 'UTC' };
    const frozen = { nodes: 0, reasons: ['Drifted' as const], schedule, unreadable: null };
    const held = evaluateScaleDown(empty({ ...given, options: { ...options, disruptionBudgets: [frozen] } }, 1));
    expect([said(held), removed(held)]).toEqual(['Held', []]);
  });

  test('stays where its group is at its maximum, too', () => {
    const decision = evaluateScaleDown(empty({ pods, web: { min: 2, max: 2 } }, 1));
    expect(decision.state.disruptions).toBeUndefined();
    expect(decision.scaleDown.unremovable).toContainEqual(
      expect.objectContaining({ node: 'old', message: expect.stringContaining('smaller than its minimum') }),
    );
  });

  test.each<readonly [replacement: string, min: number, expected: string]>([
    ['other', 2, 'Cancelled Unremovable'],
    ['other', 1, 'Waiting'],
    ['web', 2, 'Waiting'],
  ])(
    'is canceled before a node of another group is launched: one of %s, minimum %i: %s',
    (replacement, min, expected) => {
      const state = { disruptions: [{ ...COMMAND, replacement: groupName(replacement) }] };
      const given = { web: { min }, others: [group('other')], state, now: addTime(NOW, minutes(1)) };
      expect(said(evaluateScaleDown(world(given)))).toBe(expected);
    },
  );

  test('is canceled when its new node was to be of another group', () => {
    const state = { disruptions: [{ ...COMMAND, replacement: groupName('other') }] };
    const decision = evaluateScaleDown(empty({ pods, state, now: addTime(NOW, minutes(5)) }));
    expect([said(decision), removed(decision)]).toEqual(['Cancelled Unremovable', []]);
    expect(decision.scaleDown.disruptions![0]!.message).toContain('smaller than its minimum');
  });
});

describe('a replacement is canceled', () => {
  const later = addTime(NOW, minutes(31));
  const cases: readonly (readonly [string, DisruptionCancelled, Given, number | null])[] = [
    ['when its time is over', 'DeadlineExceeded', { state: waits, now: later }, 31],
    [
      'when the node is gone',
      'NodeGone',
      { state: { disruptions: [{ ...COMMAND, nodes: [nodeName('gone')] }] } },
      null,
    ],
    ['when another node has its name', 'NodeGone', { state: { disruptions: [{ ...COMMAND, since: ago(601) }] } }, null],
    [
      'when the node is being removed for another reason',
      'NodeGone',
      {
        state: {
          ...waits,
          deletionsInProgress: [{ node: nodeName('old'), group: groupName('web'), kind: 'drain', since: NOW }],
        },
      },
      null,
    ],
    [
      'when the node is as it should be',
      'ReasonGone',
      { state: waits, web: { instances: [running('i-b', 'b'), running('i-old', 'old')] } },
      null,
    ],
    ['when the option is off', 'TurnedOff', { state: waits, options: { driftReplacement: 'off' } }, null],
    [
      'when its group fails to launch nodes',
      'ReplacementFailed',
      {
        state: { ...waits, backoff: { [groupName('web')]: backoffSince(NOW, { class: 'OutOfResources' }) } },
        now: addTime(NOW, minutes(2)),
      },
      5,
    ],
  ];

  test.each(cases)('%s: %s', (_, cancelled, given, quiet) => {
    const { now = NOW } = given;
    const decision = evaluateScaleDown(world(given));
    expect(decision.scaleDown.disruptions![0]).toMatchObject({ state: 'Cancelled', cancelled });
    expect(removed(decision)).toEqual([]);
    const kept = decision.state.disruptions ?? [];
    expect(kept.filter(({ since, deadline }) => since !== now && deadline === COMMAND.deadline)).toEqual([]);
    expect(decision.state.unremovableUntil).toEqual(quiet === null ? {} : { old: addTime(now, minutes(quiet)) });
  });

  test('when scale-down is paused, and nothing is added for it', () => {
    const pauses = [{ part: 'ScaleDown', group: null, until: null, cancelDrains: false, source: 'Command' }] as const;
    const paused = { ...world({ state: waits }), pauses };
    const decision = evaluateScaleDown(paused);
    expect(decision.scaleDown.disruptions).toMatchObject([{ state: 'Cancelled', cancelled: 'Paused' }]);
    expect([decision.state.disruptions, decision.state.unremovableUntil]).toEqual([undefined, {}]);
    const increases = (given: Scenario) => evaluateScaleUp(given).scaleUp.increases.length;
    expect([increases(paused), increases(world({ state: waits }))]).toEqual([0, 1]);
  });

  test('and not begun again until the node was left alone for as long', () => {
    const { state } = evaluateScaleDown(world({ state: waits, now: later }));
    const at = (length: number): Decision => evaluateScaleDown(world({ state, now: addTime(later, minutes(length)) }));
    expect(at(30).state.disruptions).toBeUndefined();
    expect(at(31).state.disruptions).toMatchObject([{ nodes: ['old'] }]);
  });

  test('where a pod has come that keeps the node', () => {
    const bare = pod('bare', { node: 'old', requests: { cpu: '100m' } });
    const given = { state: waits, fresh: ['new'], now: addTime(NOW, minutes(5)) };
    const decision = evaluateScaleDown(world({ ...given, pods: [replica('p', 'old', FULL), bare, daemonOn('new')] }));
    expect(said(decision)).toBe('Cancelled Unremovable');
    expect(decision.scaleDown.disruptions![0]!.message).toContain('default/bare');
  });
});

describe('pods that wait come before a replacement', () => {
  const large = pod('waiting', { requests: { cpu: '3', memory: '1Gi' }, owner: 'ReplicaSet/web' });
  const given = (max: number): Scenario =>
    world({ state: waits, web: { max }, pods: [replica('p', 'old', FULL), replica('q', 'b', FULL), large] });

  test('both have a node where there is room for both, and the delay begins', () => {
    const { scaleUp, state } = evaluateScaleUp(given(10));
    expect(scaleUp.increases).toMatchObject([{ from: 2, to: 4 }]);
    expect(scaleUp.pods).toMatchObject([{ pod: 'default/waiting', outcome: 'Triggered' }]);
    expect(state.lastScaleUp).toBe(NOW);
  });

  test('the pod has the last node', () => {
    const { scaleUp } = evaluateScaleUp(given(3));
    expect(scaleUp.increases).toMatchObject([{ from: 2, to: 3 }]);
    expect(scaleUp.pods).toMatchObject([{ pod: 'default/waiting', outcome: 'Triggered' }]);
    const { disruptions } = evaluateScaleDown(given(3)).scaleDown;
    expect(disruptions).toMatchObject([
      { state: 'Waiting', deferred: 'PodsComeFirst', message: expect.stringContaining('default/waiting') },
    ]);
  });
});

describe('nodes that are launched for a replacement', () => {
  test('stays until the disruption ends, though pods that have taken its place could move: they would take that of the next one', () => {
    const given = (state: Partial<State>): Scenario =>
      world({
        state,
        fresh: ['new'],
        now: addTime(NOW, minutes(5)),
        options: AT_ONCE,
        pods: [
          replica('p', 'old', FULL),
          replica('q', 'b', { requests: { cpu: '1.5', memory: '1Gi' } }),
          pod('bare', { node: 'b' }),
          replica('late', 'new', { requests: { cpu: '1.9', memory: '1Gi' } }),
        ],
      });
    const waiting = evaluate(given(waits));
    const message = 'added after the replacement of old began, and kept until that ends';
    expect(waiting.scaleUp.increases).toMatchObject([{ group: 'web', from: 3, to: 4 }]);
    expect(removed(waiting)).toEqual([]);
    expect(waiting.scaleDown.unremovable).toContainEqual({ node: 'new', reason: 'NotUnneededOtherReason', message });
    expect(removed(evaluate(given({})))).toContainEqual(['new', undefined]);
  });

  test('costs no more than the disruption may', () => {
    const dear = { ...COMMAND, maxCost: 0.0001 };
    expect(evaluateScaleUp(world({ state: { disruptions: [dear] } })).scaleUp.increases).toEqual([]);
    const decision = evaluateScaleDown(world({ state: { disruptions: [dear] } }));
    expect(decision.scaleDown.disruptions).toMatchObject([
      { state: 'Waiting', deferred: 'TooExpensive', message: expect.stringContaining('would cost') },
    ]);
  });

  describe('a disruption that is left out for what it would cost', () => {
    const dear = { ...COMMAND, maxCost: 0.0001 };
    const beginning = (options: Partial<Options>): readonly (readonly string[])[] => {
      const instances = [drifted('i-b', 'b'), drifted('i-old', 'old')];
      const { scaleDown } = evaluateScaleDown(world({ options, state: { disruptions: [dear] }, web: { instances } }));
      return (scaleDown.disruptions ?? []).map(({ nodes }) => nodes);
    };
    const budgets = [{ nodes: 1, reasons: null, schedule: null, unreadable: null }];

    test('lets another one begin', () => expect(beginning({})).toEqual([['b'], ['old']]));
    test('counts as away for disruption budgets', () =>
      expect(beginning({ disruptionBudgets: budgets })).toEqual([['old']]));
    test('counts for maxDrainParallelism', () => expect(beginning({ maxDrainParallelism: 1 })).toEqual([['old']]));
  });

  test('one disruption that asks for too much does not stop the other', () => {
    const others = [replica('p', 'old', FULL), replica('q', 'b', FULL)];
    const { maxCost: enough } = evaluateScaleDown(world()).state.disruptions![0]!;
    const of = (name: string, maxCost: number): Disruption => ({ ...COMMAND, nodes: [nodeName(name)], maxCost });
    const { scaleUp } = evaluateScaleUp(
      world({ pods: others, state: { disruptions: [of('b', 0.0001), of('old', enough)] } }),
    );
    expect(scaleUp.increases).toMatchObject([{ from: 2, to: 3 }]);
  });

  test('a disruption that may cost more than it does pays for no other one', () => {
    const others = [replica('p', 'old', FULL), replica('q', 'b', FULL)];
    const { maxCost: enough } = evaluateScaleDown(world()).state.disruptions![0]!;
    const increasesFor = (b: number, old: number) =>
      evaluateScaleUp(
        world({
          pods: others,
          state: {
            disruptions: [
              { ...COMMAND, nodes: [nodeName('b')], maxCost: b },
              { ...COMMAND, maxCost: old },
            ],
          },
        }),
      ).scaleUp.increases;
    expect(increasesFor(0.0001, 3 * enough)).toMatchObject([{ from: 2, to: 3 }]);
    expect(increasesFor(3 * enough, 0.0001)).toMatchObject([{ from: 2, to: 3 }]);
    expect(increasesFor(enough, enough)).toMatchObject([{ from: 2, to: 4 }]);
  });

  test('is of the group that was found for it', () => {
    const others = [group('dear', { node: { cpu: 4, memory: '16Gi' } })];
    const replacement = groupName('dear');
    const { scaleUp } = evaluateScaleUp(world({ others, state: { disruptions: [{ ...COMMAND, replacement }] } }));
    expect(scaleUp.increases).toMatchObject([{ group: 'dear', from: 0, to: 1 }]);
  });
});

test('a node whose pods have room on others goes at once', () => {
  const decision = evaluateScaleDown(
    world({
      pods: [replica('p', 'old', { requests: { cpu: '2.2', memory: '1Gi' } }), replica('q', 'b')],
      options: { scaleDownUtilizationThreshold: 0 },
    }),
  );
  expect(removed(decision)).toEqual([['old', 'Drifted']]);
  expect(decision.scaleDown.removals[0]!.destinations).toEqual([{ node: 'b', pods: 1 }]);
});

test('without an option nothing is replaced', () => {
  const { scaleDown, state } = evaluateScaleDown(world({ options: { driftReplacement: 'off' } }));
  expect([scaleDown.disruptions, state.disruptions]).toEqual([undefined, undefined]);
});

test('the log says what waits, and what is canceled', () => {
  const waiting = explain(evaluateScaleDown(world()));
  expect(waiting.message).toContain('old (not as its group is now) waits for its replacement in web');
  const over = explain(evaluateScaleDown(world({ state: waits, now: addTime(NOW, minutes(31)) })));
  expect([over.message, over.remarkable]).toEqual([
    expect.stringContaining('replacement of old canceled: no replacement in time'),
    true,
  ]);
});
