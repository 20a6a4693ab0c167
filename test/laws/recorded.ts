import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from '../../core/model/cluster/node.ts';
import type { ProviderName } from '../../core/model/provider.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { MEMORY } from '../../core/model/values/resources.ts';
import { parseDocuments } from '../../providers/scenario/documents.ts';
import { readScenario } from '../../providers/scenario/scenario.ts';
import { type Random, random } from '../conformance/random.ts';
import { run } from '../simulate-faults/run.ts';

const root = join(import.meta.dirname, '../..');
const PROVIDERS: readonly ProviderName[] = ['aws', 'clusterapi'];
/** Distance between chosen scenarios of a run, which differ little from one to the next. */
const EVERY = 12;

/** Number of runs that the laws are tried with; more with `LAW_RUNS`. */
export const RUNS = Number(process.env['LAW_RUNS'] ?? 2);

/** The seed of a run, and its provider. */
export const runOf = (n: number): { readonly seed: number; readonly provider: ProviderName } => ({
  seed: n,
  provider: PROVIDERS[n % PROVIDERS.length]!,
});

/** Scenarios by a name for reports: those of the examples, and some of what evaluations are given in simulated runs. */
export async function scenarios(): Promise<readonly (readonly [name: string, scenario: Scenario])[]> {
  const found = examples();
  for (let n = 1; n <= RUNS; n += 1) {
    const { seed, provider } = runOf(n);
    const seen: Scenario[] = [];
    const recorder = { name: 'recorder', watch: () => ({ decided: (scenario: Scenario) => void seen.push(scenario) }) };
    // oxlint-disable-next-line no-await-in-loop
    await run({ seed, provider, invariants: [recorder] });
    seen.forEach((scenario, i) => {
      if (i % EVERY === seed % EVERY) {
        found.push([`${provider} seed ${seed}, evaluation ${i}`, uneven(scenario, random(seed + i))]);
      }
    });
  }
  return found;
}

function examples(): (readonly [string, Scenario])[] {
  return globSync('examples/*.yaml', { cwd: root })
    .toSorted()
    .flatMap((file) =>
      parseDocuments(readFileSync(join(root, file), 'utf8')).map(({ content }): [string, Scenario] => {
        const read = content.kind === 'value' ? readScenario(content.value, 'outrigger') : null;
        if (read?.ok !== true) {
          throw new Error(`${file} is no scenario`);
        }
        return [file, uneven(read.value, random(1))];
      }),
    );
}

/** The scenario as real clusters are: equal instances differ by some KiB, and prices by some percent. */
const uneven = (scenario: Scenario, chance: Random): Scenario => ({
  ...scenario,
  nodeGroups: scenario.nodeGroups.map((group) => ({
    ...group,
    price: group.price === null ? null : (group.price * chance.int(970, 1_030)) / 1_000,
    template: group.template === null ? null : { ...group.template, node: unevenNode(group.template.node, chance) },
  })),
  objects: { ...scenario.objects, nodes: scenario.objects.nodes.map((node) => unevenNode(node, chance)) },
});

function unevenNode(node: Node, chance: Random): Node {
  const memory = node.allocatable[MEMORY];
  return memory === undefined
    ? node
    : { ...node, allocatable: { ...node.allocatable, [MEMORY]: memory - chance.int(0, 900) * 1_024 } };
}
