import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { Labels, LabelSelector } from '../../../core/model/cluster/selectors.ts';
import type { PodDisruptionBudget } from '../../../core/model/cluster/workloads.ts';
import { createPdbTracker } from '../../../core/scaledown/pdb-tracker.ts';
import { compileSelector } from '../../../core/scheduling/label-selector.ts';
import { budget, type PodOptions, selector } from '../../builders.ts';
import { ago, NOW, webPod } from './given.ts';

const allows = (pod: Pod, ...budgets: readonly PodDisruptionBudget[]): string => {
  const verdict = createPdbTracker(budgets).allows(pod);
  return verdict.ok ? 'ok' : verdict.reason;
};
const NONE_LEFT: Partial<PodDisruptionBudget> = { disruptionsAllowed: 0, currentHealthy: 2 };
const web = (count: number, options: PodOptions = {}): readonly Pod[] =>
  Array.from({ length: count }, (_, i) => webPod(options, `web-${i + 1}`));

describe('an eviction, as the API server judges it (eviction.go)', () => {
  const unready: PodOptions = { ready: false };
  const refused = 'PodDisruptionBudget web allows no disruption: 2 healthy pods, of which it needs 2';

  it.each<[string, PodOptions, Partial<PodDisruptionBudget>, string]>([
    ['one left', {}, {}, 'ok'],
    ['none left', {}, NONE_LEFT, refused],
    ['none left, the pod is pending', { phase: 'Pending', ready: false }, NONE_LEFT, 'ok'],
    ['none left, the pod has succeeded', { phase: 'Succeeded', ready: false }, NONE_LEFT, 'ok'],
    ['none left, the pod has failed', { phase: 'Failed', ready: false }, NONE_LEFT, 'ok'],
    ['none left, the pod is being deleted', { deletedAt: ago(-10) }, NONE_LEFT, 'ok'],
    ['none left, the phase of the pod is unknown', { phase: 'Unknown', ready: true }, NONE_LEFT, refused],
    ['IfHealthyBudget: not ready, and enough others are', unready, NONE_LEFT, 'ok'],
    [
      'IfHealthyBudget: not ready, and too few others are',
      unready,
      { disruptionsAllowed: 0, currentHealthy: 1 },
      'PodDisruptionBudget web allows no disruption: 1 healthy pods, of which it needs 2',
    ],
    [
      'IfHealthyBudget: not ready, and none needs to be',
      unready,
      { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0 },
      'PodDisruptionBudget web allows no disruption: 0 healthy pods, of which it needs 0',
    ],
    [
      'AlwaysAllow: not ready, and too few others are',
      unready,
      { disruptionsAllowed: 0, currentHealthy: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      'ok',
    ],
    ['AlwaysAllow: ready', {}, { ...NONE_LEFT, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, refused],
    ['an unknown policy is IfHealthyBudget', unready, { ...NONE_LEFT, unhealthyPodEvictionPolicy: 'New' }, 'ok'],
    [
      'the budget has changed, and is not counted anew',
      {},
      { generation: 2 },
      'PodDisruptionBudget web has changed, and its pods have not been counted again',
    ],
    ['the budget has changed, and the pod needs none of it', unready, { generation: 2 }, 'ok'],
    ['an older generation', {}, { generation: 1, observedGeneration: 2 }, 'ok'],
    [
      'too many evictions not confirmed',
      {},
      { disruptedPods: Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`web-${i}`, NOW])) },
      'PodDisruptionBudget web has more than 2000 evictions that have not been seen yet',
    ],
  ])('%s', (_, pod, extra, expected) => {
    expect(allows(webPod(pod), budget(extra))).toBe(expected);
  });

  it.each<[string, PodOptions]>([
    ['ready', {}],
    ['not ready', unready],
  ])('several budgets on one pod: it is never evicted, %s', (_, options) => {
    const generous = budget({ disruptionsAllowed: 9, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    expect(allows(webPod(options), generous, { ...generous, name: 'all', selector: selector() })).toBe(
      'several PodDisruptionBudgets cover it (web, all), and the API server evicts no such pod',
    );
  });
});

describe('the pods of a budget', () => {
  it.each<[string, LabelSelector | null, PodOptions, boolean]>([
    ['its labels', selector({ app: 'web' }), {}, true],
    ['more labels', selector({ app: 'web' }), { labels: { app: 'web', tier: 'front' } }, true],
    ['fewer labels', selector({ app: 'web', tier: 'front' }), {}, false],
    ['another value', selector({ app: 'db' }), {}, false],
    ['no labels', selector({ app: 'web' }), { labels: {} }, false],
    ['an empty selector covers all', selector(), { labels: {} }, true],
    ['no selector covers none', null, {}, false],
    ['an expression', selector({}, { key: 'app', operator: 'In', values: ['web', 'db'] }), {}, true],
    [
      'an expression of other values first',
      selector({}, { key: 'app', operator: 'In', values: ['db', 'web'] }),
      {},
      true,
    ],
    ['an expression of one value', selector({}, { key: 'app', operator: 'In', values: ['web'] }), {}, true],
    ['an expression that excludes another', selector({}, { key: 'app', operator: 'NotIn', values: ['db'] }), {}, true],
    ['an expression that excludes', selector({}, { key: 'app', operator: 'NotIn', values: ['web'] }), {}, false],
    ['both must hold', selector({ app: 'web' }, { key: 'tier', operator: 'Exists', values: [] }), {}, false],
    ['an expression that is not valid', selector({}, { key: 'app', operator: 'In', values: [] }), {}, false],
    ['another namespace', selector({ app: 'web' }), { namespace: 'else' }, false],
    ['a label named as what every object has', selector({ constructor: 'x' }), {}, false],
  ])('%s', (_, of, options, expected) => {
    expect(createPdbTracker([budget({ selector: of })]).covers(webPod(options))).toBe(expected);
  });

  it('are those that a search of all budgets finds', () => {
    const value = fc.constantFrom('a', 'b');
    const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'zone'), value);
    const expression = fc.record({
      key: fc.constantFrom('app', 'tier'),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.uniqueArray(value, { minLength: 1 }),
    });
    const budgets = fc.array(
      fc
        .record({
          namespace: fc.constantFrom('default', 'else'),
          selector: fc.option(
            fc.record({ matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) }),
          ),
        })
        .map(budget),
    );
    fc.assert(
      fc.property(budgets, labels, (all, ofPod) => {
        const pod = webPod({ labels: ofPod });
        const found = all.filter((one) => {
          const compiled = compileSelector(one.selector);
          return one.namespace === 'default' && compiled.ok && compiled.value.matches(ofPod);
        });
        const counted = createPdbTracker(all);
        expect(counted.covers(pod)).toBe(found.length > 0);
        expect(counted.allows(pod).ok).toBe(found.length <= 1);
      }),
    );
  });
});

describe('of 4 000 budgets of a namespace', () => {
  const BUDGETS = 4_000;
  let reads = 0;
  const counted = (labels: Labels): Labels =>
    new Proxy(labels, {
      get: (target, key) => {
        reads += 1;
        return Reflect.get(target, key) as unknown;
      },
      getOwnPropertyDescriptor: (target, key) => {
        reads += 1;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
      has: (target, key) => {
        reads += 1;
        return Reflect.has(target, key);
      },
    });
  /** How often labels are read to find the budgets of this many pods, which have three labels each. */
  const readsFor = (pods: number, selectorOf: (i: number) => LabelSelector): number => {
    const budgets = createPdbTracker(
      Array.from({ length: BUDGETS }, (_, i) => budget({ name: `b${i}`, selector: selectorOf(i) })),
    );
    reads = 0;
    for (let i = 0; i < pods; i++) {
      const labels = { app: 'web', id: `${i}`, [`own-${i}`]: 'x' };
      const pod = webPod({ labels: counted(labels) }, `web-${i}`);
      expect(budgets.covers(pod)).toBe(true);
      expect(budgets.canTake([pod]).blocked).toBeNull();
    }
    return reads;
  };

  it.each<[string, (i: number) => LabelSelector]>([
    ['each ask for another value of a label', (i) => selector({ id: `${i}` })],
    ['each ask for another label', (i) => selector({ [`own-${i}`]: 'x' })],
    ['each ask for a label that all have and one that one has', (i) => selector({ app: 'web', id: `${i}` })],
    ['each ask for a value in another way', (i) => selector({}, { key: 'id', operator: 'In', values: [`${i}`] })],
  ])('that %s, only those are tried that may cover a pod', (_, selectorOf) => {
    expect(readsFor(1_000, selectorOf)).toBeLessThan(1_000 * 16);
  });

  it('a pod is matched once with those that have to be tried one by one, however often it is asked about', () => {
    const oneByOne = (i: number) =>
      selector({}, { key: 'app', operator: i === 0 ? 'Exists' : 'DoesNotExist', values: [] });
    const budgets = createPdbTracker(
      Array.from({ length: BUDGETS }, (_, i) => budget({ name: `b${i}`, selector: oneByOne(i) })),
    );
    const pod = webPod({ labels: counted({ app: 'web' }) });
    reads = 0;
    expect(budgets.covers(pod)).toBe(true);
    const once = reads;
    expect(budgets.canTake([pod]).blocked).toBeNull();
    budgets.fork().take([pod]);
    expect(budgets.allows(pod).ok).toBe(true);
    expect(reads).toBe(once);
    expect(once).toBeLessThanOrEqual(4 * BUDGETS);
  });
});

describe('the pods of a node together', () => {
  const BOTH = { inParallel: true, blocked: null };
  const ONE_AFTER_ANOTHER = { inParallel: false, blocked: null };

  it.each<[string, number, readonly Pod[], unknown]>([
    ['none', 0, [], BOTH],
    ['as many as are left', 2, web(2), BOTH],
    ['more than are left', 2, web(3), ONE_AFTER_ANOTHER],
    ['those that need none do not count', 1, [...web(1), ...web(5, { phase: 'Pending' })], BOTH],
    ['others do not count', 1, [...web(1), ...web(5, { labels: {} })], BOTH],
    ['unready ones do not count', 1, [...web(1), ...web(5, { ready: false })], BOTH],
  ])('%s', (_, disruptionsAllowed, pods, expected) => {
    const budgets = createPdbTracker([budget({ disruptionsAllowed })]);
    expect(budgets.canTake(pods)).toEqual(expected);
  });

  it('cannot go when one of them cannot, and it is named', () => {
    const budgets = createPdbTracker([budget(NONE_LEFT)]);
    const free = webPod({ labels: {} }, 'free');
    expect(budgets.canTake([free, ...web(2)])).toEqual({
      inParallel: false,
      blocked: {
        pod: webPod(),
        reason: 'PodDisruptionBudget web allows no disruption: 2 healthy pods, of which it needs 2',
      },
    });
  });

  it.each<[string, number, number, number, unknown]>([
    ['as many as are left', 2, 2, 0, BOTH],
    ['as many as are left, and others that are evicted one after another', 2, 2, 3, ONE_AFTER_ANOTHER],
    [
      'more than are left',
      2,
      3,
      0,
      {
        inParallel: false,
        blocked: {
          pod: webPod({}, 'web-3'),
          reason:
            'PodDisruptionBudget web has room for 2 of its pods, and more than that tolerate the taint of the node and end with it',
        },
      },
    ],
  ])('that end with the node, which they do at once: %s', (_, disruptionsAllowed, ending, evicted, expected) => {
    const names = new Set(web(ending).map(({ name }) => name));
    const budgets = createPdbTracker([budget({ disruptionsAllowed })], [], ({ name }) => names.has(name));
    expect(budgets.canTake(web(ending + evicted))).toEqual(expected);
    expect(budgets.fork().canTake(web(ending + evicted))).toEqual(expected);
  });

  it('each budget counts for itself', () => {
    const db = budget({ name: 'db', selector: selector({ app: 'db' }), disruptionsAllowed: 2 });
    const budgets = createPdbTracker([budget(), db]);
    expect(budgets.canTake([...web(1), ...web(2, { labels: { app: 'db' } })])).toEqual(BOTH);
    expect(budgets.canTake([...web(1), ...web(3, { labels: { app: 'db' } })])).toEqual(ONE_AFTER_ANOTHER);
  });
});

describe('what is taken', () => {
  it('is left for no other pod', () => {
    const budgets = createPdbTracker([budget({ disruptionsAllowed: 2 })]);
    budgets.take(web(1));
    expect(budgets.canTake(web(2)).inParallel).toBe(false);
    budgets.take(web(1));
    expect(budgets.canTake(web(1)).blocked).not.toBeNull();
    expect(budgets.allows(webPod())).toMatchObject({
      reason: 'what PodDisruptionBudget web allows (2) is needed by other nodes that are drained',
    });
  });

  it('is nothing for pods that need none', () => {
    const budgets = createPdbTracker([budget()]);
    budgets.take([...web(3, { ready: false }), ...web(3, { phase: 'Pending' }), ...web(3, { deletedAt: NOW })]);
    expect(budgets.allows(webPod()).ok).toBe(true);
  });

  it('in a fork is not taken from the budgets it was made of, nor the other way round', () => {
    const budgets = createPdbTracker([budget()]);
    const fork = budgets.fork();
    fork.take(web(1));
    expect(fork.allows(webPod()).ok).toBe(false);
    expect(budgets.allows(webPod()).ok).toBe(true);
    const other = budgets.fork();
    budgets.take(web(1));
    expect(other.allows(webPod()).ok).toBe(true);
  });

  it('pods at once are no more than are allowed, in whatever portions', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.array(fc.nat(6)), (disruptionsAllowed, portions) => {
        const budgets = createPdbTracker([budget({ disruptionsAllowed })]);
        let taken = 0;
        for (const size of portions) {
          const { blocked, inParallel } = budgets.canTake(web(size));
          if (blocked === null && inParallel) {
            budgets.take(web(size));
            taken += size;
          }
        }
        expect(taken).toBeLessThanOrEqual(disruptionsAllowed);
      }),
    );
  });
});

describe('drains in progress', () => {
  it.each<[string, PodOptions, Partial<PodDisruptionBudget>, boolean]>([
    ['a pod that is to be evicted has its budget already', {}, {}, false],
    ['one that the budget has counted out needs no other', {}, { disruptedPods: { 'web-1': NOW } }, true],
    ['one that is counted out under another name does', {}, { disruptedPods: { 'web-9': NOW } }, false],
    ['one that is being deleted needs none', { deletedAt: ago(-5) }, {}, true],
    ['one that is not ready needs none', { ready: false }, {}, true],
  ])('%s', (_, options, extra, expected) => {
    const budgets = createPdbTracker([budget(extra)], [webPod(options)]);
    expect(budgets.allows(webPod({}, 'web-2')).ok).toBe(expected);
  });
});
