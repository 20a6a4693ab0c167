import { describe, expect, it } from 'vitest';
import { keyOf, type Pod } from '../../../../core/model/cluster/pod.ts';
import { drainabilityOf } from '../../../../core/scaledown/drainability/drainability.ts';
import { podsToMove } from '../../../../core/scaledown/drainability/pods-to-move.ts';
import { SAFE_TO_EVICT } from '../../../../core/scaledown/drainability/safe-to-evict.ts';
import { budget, pod as aPod, type PodOptions } from '../../../builders.ts';
import { ago, barePod, drainContext, said, webPod } from '../given.ts';

const MIRROR = { 'kubernetes.io/config.mirror': 'a1b2' };
const KEEP = { 'karpenter.sh/do-not-disrupt': 'true' };
const safe = (value: string) => ({ [SAFE_TO_EVICT]: value });
const LOCAL: PodOptions = { spec: { volumes: [{ kind: 'emptyDir', name: 'tmp', medium: '' }] } };
const SYSTEM: PodOptions = { namespace: 'kube-system', createdAt: ago(60) };
const GONE: PodOptions = { owner: 'ReplicaSet/gone' };
const OVERDUE: PodOptions = { deletedAt: ago(100) };
const context = drainContext({ budgets: [budget({ disruptionsAllowed: 0, currentHealthy: 2 })] });
/** Covered by the budget that has none left. */
const COVERED: PodOptions = { labels: { app: 'web' } };
const bare = (...options: readonly PodOptions[]): Pod => barePod(Object.assign({}, ...options) as PodOptions);

describe('the first rule that decides has the last word', () => {
  it.each<[string, Pod, string]>([
    ['1 mirror before 3 replicacount', bare(GONE, { annotations: MIRROR }), 'Skip'],
    ['1 mirror before do-not-disrupt', bare({ annotations: { ...MIRROR, ...KEEP } }), 'Skip'],
    ['2 longterminating before 3 replicacount', bare(GONE, OVERDUE), 'Skip'],
    ['2 longterminating before 8 replicated', bare(OVERDUE), 'Skip'],
    ['3 replicacount before do-not-disrupt', bare(GONE, { annotations: KEEP }), 'Block ControllerNotFound'],
    ['3 replicacount before 4 daemonset', bare({ owner: 'DaemonSet/gone' }), 'Block ControllerNotFound'],
    ['3 replicacount before 5 safetoevict', bare(GONE, { annotations: safe('true') }), 'Block ControllerNotFound'],
    ['3 replicacount before 6 terminal', bare(GONE, { phase: 'Succeeded' }), 'Block ControllerNotFound'],
    [
      '3 replicacount before 7 oncompletion',
      bare(GONE, { annotations: safe('on-completion') }),
      'Block ControllerNotFound',
    ],
    ['do-not-disrupt before 4 daemonset', bare({ owner: 'DaemonSet/agent', annotations: KEEP }), 'Block DoNotDisrupt'],
    ['do-not-disrupt before 5 safetoevict', bare({ annotations: { ...KEEP, ...safe('true') } }), 'Block DoNotDisrupt'],
    [
      'do-not-disrupt before 7 oncompletion',
      bare({ annotations: { ...KEEP, ...safe('on-completion') } }),
      'Block DoNotDisrupt',
    ],
    ['4 daemonset before 10 notsafetoevict', bare({ owner: 'DaemonSet/agent', annotations: safe('false') }), 'DrainOk'],
    ['4 daemonset before 11 localstorage', bare(LOCAL, { owner: 'DaemonSet/agent' }), 'DrainOk'],
    ['4 daemonset before 12 pdb', bare(COVERED, { owner: 'DaemonSet/agent' }), 'DrainOk'],
    ['5 safetoevict before 8 replicated', bare({ annotations: safe('true') }), 'DrainOk'],
    ['5 safetoevict before 9 system', bare(SYSTEM, { annotations: safe('true') }), 'DrainOk'],
    ['5 safetoevict before 11 localstorage', bare(LOCAL, { annotations: safe('true') }), 'DrainOk'],
    ['5 safetoevict before 12 pdb', bare(COVERED, { annotations: safe('true') }), 'DrainOk'],
    ['6 terminal before 7 oncompletion', bare({ phase: 'Failed', annotations: safe('on-completion') }), 'DrainOk'],
    ['6 terminal before 8 replicated', bare({ phase: 'Succeeded' }), 'DrainOk'],
    ['6 terminal before 10 notsafetoevict', bare({ phase: 'Succeeded', annotations: safe('false') }), 'DrainOk'],
    ['7 oncompletion before 8 replicated', bare({ annotations: safe('on-completion') }), 'Wait'],
    ['7 oncompletion before 12 pdb', bare(COVERED, { annotations: safe('on-completion') }), 'Wait'],
    ['8 replicated before 9 system', bare(SYSTEM), 'Block NotReplicated'],
    ['8 replicated before 10 notsafetoevict', bare({ annotations: safe('false') }), 'Block NotReplicated'],
    [
      '9 system before 10 notsafetoevict',
      bare(SYSTEM, { owner: 'CloneSet/x', annotations: safe('false') }),
      'Block UnmovableKubeSystemPod',
    ],
    [
      '10 notsafetoevict before 11 localstorage',
      webPod({ ...LOCAL, annotations: safe('false') }),
      'Block NotSafeToEvictAnnotation',
    ],
    ['11 localstorage before 12 pdb', webPod(LOCAL), 'Block LocalStorageRequested'],
    ['12 pdb at last', webPod(), 'Block NotEnoughPdb'],
    ['none of them', webPod({ labels: {} }), 'Move'],
  ])('%s', (name, pod, expected) => {
    // A controller of a kind that is not known is no controller to rule 8, which would come first.
    const options = name.startsWith('9')
      ? { ...context.options, skipNodesWithCustomControllerPods: false }
      : context.options;
    expect(said(drainabilityOf(pod, { ...context, options }))).toBe(expected);
  });
});

describe('the pods of a node', () => {
  const named = (name: string, options: PodOptions = {}): Pod =>
    aPod(name, { node: 'n', owner: 'ReplicaSet/web', ...options });
  const keys = (pods: readonly Pod[]): readonly string[] => pods.map(keyOf);

  it('are sorted by what happens to them', () => {
    const sorted = podsToMove(
      [
        named('moved'),
        named('agent', { owner: 'DaemonSet/agent' }),
        named('mirror', { annotations: MIRROR }),
        named('safe', { annotations: safe('true'), ...LOCAL }),
        named('ended', { phase: 'Succeeded' }),
        named('waited-for', { owner: 'Job/once', annotations: safe('on-completion') }),
        named('overdue', OVERDUE),
        named('leaving', { deletedAt: ago(-20) }),
      ],
      context,
    );
    if (sorted.kind !== 'Drainable') {
      throw new Error(sorted.message);
    }
    expect(keys(sorted.move)).toEqual(['default/moved', 'default/safe', 'default/leaving']);
    expect(keys(sorted.waiting)).toEqual(['default/waited-for']);
  });

  it('are blocked by the first that blocks', () => {
    const blocking = named('kept', { annotations: safe('false') });
    expect(podsToMove([named('moved'), blocking, webPod()], context)).toEqual({
      kind: 'Blocked',
      pod: blocking,
      reason: 'NotSafeToEvictAnnotation',
      message: 'cluster-autoscaler.kubernetes.io/safe-to-evict is "false"',
    });
  });

  it('need nothing where there are none', () => {
    expect(podsToMove([], context)).toEqual({ kind: 'Drainable', move: [], waiting: [] });
  });

  it('see what other nodes have taken from the budgets', () => {
    const one = drainContext({ budgets: [budget()] });
    expect(podsToMove([webPod()], one)).toMatchObject({ kind: 'Drainable' });
    one.pdbs.take([webPod({}, 'web-2')]);
    expect(podsToMove([webPod()], one)).toMatchObject({
      kind: 'Blocked',
      reason: 'NotEnoughPdb',
      message: 'what PodDisruptionBudget web allows (1) is needed by other nodes that are drained',
    });
  });
});
