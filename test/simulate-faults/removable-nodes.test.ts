import { expect, test } from 'vitest';
import type { ProviderName } from '../../core/model/provider.ts';
import type { SimulatedInstance } from '../../providers/simulated/auto-scaling.ts';
import { isTakenFirst } from './removable-nodes.ts';

const of = (version?: number): SimulatedInstance =>
  ({ ...(version !== undefined && { version }) }) as unknown as SimulatedInstance;

test.each<{
  what: string;
  version?: number;
  others: readonly SimulatedInstance[];
  provider: ProviderName;
  is: boolean;
}>([
  { what: 'of the only template', others: [of(), of(1)], provider: 'clusterapi', is: true },
  { what: 'of the oldest template', version: 1, others: [of(2), of(3)], provider: 'clusterapi', is: true },
  { what: 'of the latest template', version: 3, others: [of(3), of(2)], provider: 'clusterapi', is: false },
  { what: 'of a template in between', version: 2, others: [of(3), of()], provider: 'clusterapi', is: false },
  { what: 'of the latest template, alone', version: 3, others: [of(3)], provider: 'clusterapi', is: true },
  { what: 'of the latest launch template', version: 3, others: [of(1)], provider: 'aws', is: true },
])('a node $what may go: $is', ({ version, others, provider, is }) => {
  expect(isTakenFirst({ instances: [...others, of(version)] }, of(version), provider)).toBe(is);
});
