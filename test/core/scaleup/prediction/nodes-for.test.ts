import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import { nodeName } from '../../../../core/model/values/names.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { Backoff, State } from '../../../../core/model/state.ts';
import { addTime, minutes } from '../../../../core/model/values/time.ts';
import { node } from '../../../builders.ts';
import { NOW, running, scenario, times } from '../../../scenario-builders.ts';
import { BIG, bigAndSmall, GROUPS } from './big-and-small.ts';

describe('where kube-scheduler will put the pods', () => {
  describe('when the group of the plan is full', () => {
    const full = BIG + 4;
    const names = times(full, (i) => `there-${i}`);
    const [a, b] = [
      { ...GROUPS[0]!, maxSize: BIG },
      { ...GROUPS[1]!, targetSize: full, nodes: names.map(nodeName), instances: names.map((of) => running(of, of)) },
    ];
    const grown = (other: NodeGroup, state: Partial<State> = {}) =>
      evaluate(
        scenario({
          groups: [a, other],
          nodes: names.map((name) => node(name, {}, { unschedulable: true })),
          pods: bigAndSmall(BIG),
          options: { predictedPlacementRatio: 2 },
          state,
        }),
      ).scaleUp;

    test('one similar to it gets the nodes beyond the plan', () => {
      const { predicted, increases } = grown(b);
      expect(predicted).toMatchObject({ bought: true });
      expect(increases).toEqual([
        { group: 'g-a', from: 0, to: BIG },
        { group: 'g-b', from: full, to: full + predicted!.nodes! },
      ]);
    });

    test.each(times(8, (more) => [more]))('one similar to it gets no more than its maximum: %i nodes more', (more) => {
      const most = full + more;
      for (const { group: name, to } of grown({ ...b, maxSize: most }).increases) {
        expect([name, to]).toEqual(name === 'g-a' ? ['g-a', BIG] : ['g-b', Math.min(to, most)]);
      }
    });

    test('one that backs off does not', () => {
      const failed: Backoff = {
        until: addTime(NOW, minutes(5)),
        duration: minutes(5),
        lastFailure: NOW,
        class: 'Quota',
      };
      const backoff = { [b.name]: failed };
      expect(grown(b, { backoff })).toMatchObject({
        predicted: { bought: false, why: expect.stringMatching(/limits do not allow/) },
        increases: [{ group: 'g-a', from: 0, to: BIG }],
      });
    });
  });
});
