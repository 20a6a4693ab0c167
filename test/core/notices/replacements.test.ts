import { describe, expect, it } from 'vitest';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { Pause } from '../../../core/model/pause.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes, seconds } from '../../../core/model/values/time.ts';
import { pod } from '../../builders.ts';
import { NOW, removalOf, times, zoneLabels } from '../../scenario-builders.ts';
import { changesOf, cluster, recommended } from './recommended.ts';

const PAUSE: Pause = { part: 'ScaleDown', group: null, until: null, cancelDrains: false, source: 'NodeGroup' };

describe('a node that is replaced for a rebalance recommendation', () => {
  it('stays while its replacement is bought, and while that is on its way', () => {
    const alone = cluster();
    expect(changesOf(alone)).toEqual(['SetSize']);
    const { departures, state } = evaluateScaleUp(alone);
    expect(departures).toBeUndefined();
    expect(state.deletionsInProgress).toEqual([]);
    expect(changesOf(cluster({ coming: 1 }))).toEqual([]);
  });

  it('leaves once its pods have places on nodes that are ready', () => {
    const given = cluster({ others: ['s1'] });
    expect(changesOf(given)).toEqual([[['s0', 'RebalanceRecommendation']]]);
    const { departures, state } = evaluateScaleUp(given);
    const deadline = addTime(NOW, minutes(60));
    expect(departures).toEqual([{ node: 's0', group: 'spot', notice: 'RebalanceRecommendation', deadline }]);
    expect(state.deletionsInProgress).toMatchObject([{ node: 's0', kind: 'drain' }]);
    expect(state.shortages).toEqual([]);
    expect(evaluate(given).state.deletionsInProgress).toMatchObject([{ node: 's0', kind: 'drain' }]);
  });

  it('does not count on a node that has registered and is still starting', () => {
    const given = cluster({ others: ['s1'] });
    const conditions = [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', since: NOW }];
    const nodes = given.objects.nodes.map((one) =>
      one.name === nodeName('s1') ? { ...one, createdAt: NOW, conditions } : one,
    );
    const starting = { ...given, objects: { ...given.objects, nodes } };
    expect(changesOf(starting)).toEqual([]);
  });

  it.each<[string, Partial<NodeGroup>, Record<string, string>]>([
    ['scale-down of its group is paused', { pause: PAUSE }, {}],
    ['traffic is shifted away from its zone', { zonalShifts: [{ zone: 'eu-1a', until: null, launches: true }] }, {}],
    ['its group is being updated', { cloudActions: ['Updating'] }, {}],
    ['AWS replaces the instances of its group itself', { cloudActions: ['CapacityRebalance'] }, {}],
    ['an annotation keeps it', {}, { 'karpenter.sh/do-not-disrupt': 'true' }],
  ])('stays while %s, and nothing is launched for it', (_, held, annotations) => {
    for (const others of [[], ['s1']]) {
      const given = cluster({ others });
      const nodes = given.objects.nodes.map((one) => ({ ...one, labels: zoneLabels('eu-1a'), annotations }));
      const nodeGroups = given.nodeGroups.map((one) => ({ ...one, ...held }));
      expect(changesOf({ ...given, objects: { ...given.objects, nodes }, nodeGroups })).toEqual([]);
    }
  });

  it('stays where nothing can replace it', () => {
    expect(changesOf(cluster({ max: 1 }))).toEqual([]);
  });

  it('is not taken for room by pods that wait meanwhile, nor removed by scale-down', () => {
    const given = cluster();
    const small = pod('small', { requests: { cpu: 1 } });
    const more = { ...given, objects: { ...given.objects, pods: [...given.objects.pods, small] } };
    expect(evaluateScaleUp(more).scaleUp.pods).toMatchObject([{ outcome: 'Triggered' }, { outcome: 'Triggered' }]);
    expect(evaluateScaleDown(given).state.deletionsInProgress).toEqual([]);
  });

  it('is one of no more than maxDrainParallelism, those first that were recommended first', () => {
    const names = times(4, (i) => `s${i}`);
    const notices = names.map((_name, i) => recommended(`i-spot-${i}`, { receivedAt: addTime(NOW, seconds(-i)) }));
    const given = cluster({
      options: { rebalanceRecommendation: 'replace', maxDrainParallelism: 2 },
      others: names.slice(1),
      notices,
    });
    const empty = { ...given, objects: { ...given.objects, pods: [] } };
    expect(evaluateScaleUp(empty).departures?.map(({ node: of }) => of)).toEqual(['s2', 's3']);
  });

  it.each([
    { drains: 1, bought: ['SetSize'] },
    { drains: 2, bought: [] },
    { drains: 3, bought: [] },
  ])('is bought for beside $drains of two drains that may be under way: $bought', ({ drains, bought }) => {
    const others = times(drains, (i) => `s${i + 1}`);
    const given = cluster({ options: { rebalanceRecommendation: 'replace', maxDrainParallelism: 2 }, others });
    const deletionsInProgress = others.map((name) => removalOf(name, 'spot'));
    expect(changesOf({ ...given, state: { ...given.state, deletionsInProgress } })).toEqual(bought);
  });
});
