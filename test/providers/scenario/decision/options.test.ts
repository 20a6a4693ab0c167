import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { ConsideredOption } from '../../../../core/model/decision.ts';
import { groupName } from '../../../../core/model/values/names.ts';
import { writeDecision } from '../../../../providers/scenario/decision.ts';
import { scenario } from '../../../scenario-builders.ts';

/** The options of a decision's one choice, as they are written. */
function written(...options: readonly ConsideredOption[]): unknown {
  const decision = evaluate(scenario({}));
  const considered = [{ options, winner: groupName('a'), why: 'the only node group that fits', split: [] }];
  const { scaleUp } = writeDecision({ ...decision, scaleUp: { ...decision.scaleUp, considered } }) as {
    readonly scaleUp: { readonly considered: readonly { readonly options: unknown }[] };
  };
  return scaleUp.considered[0]!.options;
}

describe('an option that was considered', () => {
  const plain: ConsideredOption = { group: groupName('a'), nodes: 2, pods: 9, waste: 0.25, similarGroups: [] };
  test.each<{ readonly what: string; readonly option: ConsideredOption; readonly json: string }>([
    {
      what: 'with the figures that every option has',
      option: plain,
      json: '{"group":"a","nodes":2,"pods":9,"waste":0.25,"similarGroups":[]}',
    },
    {
      what: 'with those of the expanders in the chain',
      option: { priceScore: 1.5, price: 0.4, priority: 0, ...plain },
      json: '{"group":"a","nodes":2,"pods":9,"waste":0.25,"priority":0,"price":0.4,"priceScore":1.5,"similarGroups":[]}',
    },
    {
      what: 'that was given up',
      option: { incomplete: true, ...plain },
      json: '{"group":"a","nodes":2,"pods":9,"waste":0.25,"similarGroups":[],"incomplete":true}',
    },
  ])('is written $what', ({ option, json }) => {
    expect(JSON.stringify(written(option))).toBe(`[${json}]`);
  });
});
