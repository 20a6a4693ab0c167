import { describe, expect, it } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { addTime, seconds } from '../../../core/model/values/time.ts';
import { err, ok, type Result } from '../../../core/model/values/result.ts';
import type { GroupName } from '../../../core/model/values/names.ts';
import type { OptionOfGroup } from '../../../core/ports/external-expander.ts';
import { decideWithAnswers } from '../../../functions/scale-up/external-choices.ts';
import { readScenario, writeScenario } from '../../../providers/scenario/scenario.ts';
import { pod } from '../../builders.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';
import { invocation, notification, sqsEvent, testWorld, WEB } from '../test-world.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';

const OPTIONS: Options = {
  ...defaultOptions(),
  expander: ['external', 'least-nodes'],
  externalExpander: 'arn:aws:lambda:eu-west-1:111122223333:function:expander',
};
const WAITING = { reason: 'Unschedulable', since: null } as const;
/** Pods of two kinds, each with a choice of its own: the first is for the nodes with a GPU. */
const SCENARIO = scenario({
  options: OPTIONS,
  groups: [
    group('cheap', { node: { cpu: 4, memory: '16000Mi' } }),
    group('quick', { node: { cpu: 4, memory: '16300Mi' }, labels: { disk: 'ssd' } }),
    group('gpu-1', { node: { cpu: 8, memory: '32Gi', 'nvidia.com/gpu': 1 }, labels: { zone: '1' } }),
    group('gpu-2', { node: { cpu: 8, memory: '31Gi', 'nvidia.com/gpu': 1 }, labels: { zone: '2' } }),
  ],
  pods: [
    pod('web', { requests: { cpu: 3 }, unscheduled: WAITING }),
    pod('train', { requests: { cpu: 7, 'nvidia.com/gpu': 1 }, unscheduled: WAITING }),
  ],
});

type Answer = (options: readonly OptionOfGroup[]) => Result<readonly GroupName[], string>;

/** A function that prefers these groups where it may. */
const preferring =
  (...groups: readonly string[]): Answer =>
  (options) => {
    const found = options.flatMap(({ option }) => (groups.includes(option.group) ? option.group : []));
    return found.length > 0 ? ok(found) : err('the function chose none of the options');
  };

async function decided(answer: Answer, takesMs = 0, expander: readonly string[] = OPTIONS.expander) {
  const asked: (readonly string[])[] = [];
  const warnings: string[] = [];
  let now = NOW;
  const answered = await decideWithAnswers(
    {
      services: {
        now: () => now,
        log: { debug: () => {}, info: () => {}, error: () => {}, warn: (message) => void warnings.push(message) },
      },
      cluster: {
        name: WEB,
        expander: {
          choose: async (_, options) => {
            asked.push(options.map(({ option, group: { name } }) => `${name} ${option.nodes}/${option.pods}`));
            now = addTime(now, seconds(takesMs / 1_000));
            return answer(options);
          },
        },
      },
      signal: new AbortController().signal,
    },
    evaluateScaleUp,
    { ...SCENARIO, options: { ...OPTIONS, expander } },
  );
  const { increases, considered } = answered.decision.scaleUp;
  return {
    ...answered,
    asked,
    warnings,
    grown: increases.map((one) => one.group),
    why: considered.map(({ why }) => why),
  };
}

describe('a decision that an external expander takes part in', () => {
  it('is made with its answers to one choice after another, each asked about once', async () => {
    const { grown, asked, why, warnings } = await decided(preferring('quick', 'gpu-2'));
    expect(grown).toEqual(['gpu-2', 'quick'].toSorted());
    expect(new Set(asked.map(String)).size).toBe(asked.length);
    expect(why.every((one) => !one.includes('not asked'))).toBe(true);
    expect(warnings).toEqual([]);
    const other = await decided(preferring('cheap', 'gpu-1'));
    expect(other.grown).toEqual(['cheap', 'gpu-1']);
  });

  it('can be repeated from its scenario alone, which has the answers', async () => {
    const { scenario, decision } = await decided(preferring('quick', 'gpu-2'));
    const read = readScenario(JSON.parse(JSON.stringify(writeScenario(scenario))));
    expect(read.ok && evaluateScaleUp(read.value)).toEqual(decision);
  });

  it('is made by the other expanders after an answer that is of no use, which it names, as the log does', async () => {
    const { grown, asked, why, warnings } = await decided(() => err('no answer in time'));
    expect(grown).toHaveLength(2);
    expect(asked).toHaveLength(1);
    expect(why.filter((one) => one.startsWith('external: not used, no answer in time; '))).toHaveLength(1);
    expect(warnings).toEqual([`The external expander of cluster ${WEB} was not used: no answer in time`]);
  });

  it('asks about what the expanders before it leave', async () => {
    const { asked } = await decided(preferring('quick', 'gpu-2'), 0, ['most-pods', 'external']);
    // Nodes with a GPU hold both pods, those of other groups one.
    expect(asked[0]).toEqual(['gpu-1 2/2', 'gpu-2 2/2']);
  });

  it('does not wait for slow answers for longer than ten seconds', async () => {
    const { asked, grown } = await decided(preferring('quick', 'gpu-2'), 10_000);
    expect(asked).toHaveLength(1);
    expect(grown).toHaveLength(2);
  });
});

it('the decision with the answers is the one that is committed, and its scenario the one that is kept', async () => {
  const { nodeGroups, objects } = SCENARIO;
  const world = testWorld({ groups: nodeGroups, objects, options: OPTIONS });
  const asking = {
    ...world,
    cluster: (name: typeof WEB) => ({
      ...world.cluster(name)!,
      expander: {
        choose: async (_: unknown, options: readonly OptionOfGroup[]) => preferring('quick', 'gpu-2')(options),
      },
    }),
  };
  await scaleUpHandler(asking)(sqsEvent(notification), invocation());
  const stored = world.store.snapshot().get(WEB)!;
  expect(stored.intents.map((one) => one.group).toSorted()).toEqual([groupName('gpu-2'), groupName('quick')]);
});
