import { intentsOf } from '../../../core/actuation/intents-of.ts';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import type { Notice } from '../../../core/model/notice.ts';
import type { Options } from '../../../core/model/options.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { node, pod } from '../../builders.ts';
import { group, noticeOf, running, scenario, times } from '../../scenario-builders.ts';

export const recommended = (instance: string, extra: Partial<Notice> = {}): Notice =>
  noticeOf(instance, 'spot', { kind: 'RebalanceRecommendation', endsAt: null, ...extra });

interface Given {
  readonly options?: Partial<Options>;
  /** Nodes beside the one with the recommendation, empty. */
  readonly others?: readonly string[];
  /** Instances that are on their way. */
  readonly coming?: number;
  readonly max?: number;
  readonly notices?: readonly Notice[];
}

/** A node of four CPUs, of which a pod has three, and others that are empty. */
export function cluster({ options = { rebalanceRecommendation: 'replace' }, ...given }: Given = {}): Scenario {
  const names = ['s0', ...(given.others ?? [])];
  const coming = times(given.coming ?? 0, (i) => running(`i-coming-${i}`, null));
  return {
    ...scenario({
      options,
      groups: [
        group('spot', {
          nodes: names,
          max: given.max ?? 10,
          target: names.length + coming.length,
          instances: [...names.map((name, i) => running(`i-spot-${i}`, name)), ...coming],
        }),
      ],
      nodes: names.map((name) => node(name, { cpu: 4, memory: '16Gi' })),
      pods: [pod('web', { requests: { cpu: 3 }, node: 's0', owner: 'ReplicaSet/web' })],
    }),
    notices: given.notices ?? [recommended('i-spot-0')],
  };
}

/** Changes that actuation is told to make: the nodes to be removed, and for which notice. */
export const changesOf = (given: Scenario) =>
  intentsOf(evaluateScaleUp(given), given, 7).map((intent) =>
    intent.kind === 'RemoveNodes' ? intent.nodes.map(({ node: of, notice }) => [of, notice?.kind]) : intent.kind,
  );
