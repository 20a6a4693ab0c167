/** Providers of node groups, by the names of Cluster Autoscaler's `--cloud-provider`. */
export const PROVIDERS = ['aws', 'clusterapi'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Something of one provider: `undefined` is that of the scenario. */
export interface OfProvider {
  readonly provider?: ProviderName | undefined;
}

/** Whose rules a node group follows: a scenario may have groups of several providers. */
export const providerOf = (group: OfProvider, scenario: { readonly provider: ProviderName }): ProviderName =>
  group.provider ?? scenario.provider;

/** The providers that a scenario has groups of, that of the scenario first. */
export const providersIn = ({
  provider,
  nodeGroups,
}: {
  readonly provider: ProviderName;
  readonly nodeGroups: readonly OfProvider[];
}): readonly ProviderName[] => [...new Set([provider, ...nodeGroups.flatMap((group) => group.provider ?? [])])];
