import { describe, expect, it } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { cordonsFor } from '../../../core/notices/cordons.ts';
import { CORDONED_FOR_NOTICE } from '../../../core/notices/departures.ts';
import { pod } from '../../builders.ts';
import { NOW } from '../../scenario-builders.ts';
import { changesOf, cluster } from './recommended.ts';

describe('a node that is cordoned for a rebalance recommendation', () => {
  const given = cluster({ options: { rebalanceRecommendation: 'cordon' }, others: ['s1'] });
  const cordoned = (from: Scenario) => cordonsFor(from).map(({ node: of, change }) => [of, change.unschedulable]);

  it('is cordoned, and not drained', () => {
    expect(cordoned(given)).toEqual([['s0', true]]);
    expect(changesOf(given)).toEqual([]);
  });

  it('takes no pods in the evaluation that sees it', () => {
    const small = pod('small', { requests: { cpu: 1 } });
    const full = cluster({ options: { rebalanceRecommendation: 'cordon' } });
    const more = { ...full, objects: { ...full.objects, pods: [...full.objects.pods, small] } };
    expect(evaluateScaleUp(more).scaleUp.pods).toMatchObject([{ pod: 'default/small', outcome: 'Triggered' }]);
    const ignored = { ...more, options: { ...more.options, rebalanceRecommendation: 'ignore' } };
    expect(evaluateScaleUp(ignored).scaleUp.pods).toMatchObject([{ pod: 'default/small', outcome: 'Fits' }]);
  });

  it('is cordoned once: one that a person has uncordoned stays so', () => {
    const [{ change }] = cordonsFor(given) as [ReturnType<typeof cordonsFor>[number]];
    expect(change.annotations).toHaveProperty([CORDONED_FOR_NOTICE]);
    const nodes = given.objects.nodes.map((one) =>
      one.name === nodeName('s0') ? { ...one, annotations: { [CORDONED_FOR_NOTICE]: '' } } : one,
    );
    expect(cordoned({ ...given, objects: { ...given.objects, nodes } })).toEqual([]);
    const late = { ...given, now: addTime(NOW, minutes(10)) };
    expect(cordoned(late)).toEqual([]);
  });

  it('keeps its own cordon: that one is left as it is', () => {
    const nodes = given.objects.nodes.map((one) => ({ ...one, unschedulable: true }));
    expect(cordoned({ ...given, objects: { ...given.objects, nodes } })).toEqual([['s0', null]]);
  });
});
