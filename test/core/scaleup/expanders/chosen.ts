import type { PriorityTiers } from '../../../../core/model/cluster/priorities.ts';
import { createChooser, type ExpanderContext } from '../../../../core/scaleup/expanders/chooser.ts';
import type { Option } from '../../../../core/scaleup/expanders/expander.ts';

export const tiers = (value: Readonly<Record<number, readonly string[]>>): PriorityTiers => ({
  ok: true,
  value: Object.entries(value).map(([priority, patterns]) => ({ priority: Number(priority), patterns })),
});

export const context = (given: Partial<ExpanderContext> = {}): ExpanderContext => ({
  provider: 'aws',
  priorities: null,
  namespace: 'kube-system',
  nearTieRatio: 0,
  externalChoices: [],
  ...given,
});

/** Who can win under this chain, whatever the chance, and why the first of them did. */
export function chosen(
  chain: readonly string[],
  options: readonly Option[],
  given: Partial<ExpanderContext> = {},
): { readonly winners: readonly string[]; readonly why: string } {
  const chooser = createChooser(chain, context(given));
  const winners = Array.from({ length: 50 }, (_, i) => chooser.choose(options, () => i / 50).winner.group.name);
  return { winners: [...new Set(winners)], why: chooser.choose(options, () => 0).why };
}
