/**
 * Promises of README and docs, and the test that holds each one: neither may be lost without the other. A sentence of the
 * README that promises something and is not here fails.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Promised {
  readonly page: string;
  /** Words of the page, with any white space between. */
  readonly says: string;
  readonly heldBy: string;
  /** Words of the file that holds it: the name of the test, or of the constant that is compared. */
  readonly by: string;
}

const promised = (page: string, says: string, heldBy: string, by: string): Promised => ({ page, says, heldBy, by });

const PROMISES: readonly Promised[] = [
  promised(
    'README.md',
    'the same bytes every time',
    'test/cli/replay/replay.test.ts',
    'is made again as it was, byte for byte',
  ),
  promised(
    'README.md',
    'are resumed within ten seconds of its last sign of life',
    'test/cli/local/take-over.test.ts',
    'takes over within ten seconds what a process that is silent has claimed',
  ),
  promised(
    'README.md',
    'A decision is committed whole or not at all',
    'test/providers/state-store.contract.ts',
    'is refused as a whole',
  ),
  promised(
    'README.md',
    'a forged one causes an evaluation, nothing more',
    'test/e2e/flood.e2e.ts',
    'forged, repeated, oversized and broken calls cause one evaluation',
  ),
  promised(
    'README.md',
    'Failed launches are seen within seconds',
    'test/docs/reaction.test.ts',
    'a failed launch is answered by its event, within seconds',
  ),
  promised(
    'README.md',
    'evicts within the PodDisruptionBudgets',
    'test/e2e/evictions.e2e.ts',
    'what the budgets allow is what the API server allows',
  ),
  promised('README.md', 'may die at any moment', 'test/e2e/kill.e2e.ts', 'of processes that are killed'),
  promised(
    'README.md',
    'launches nothing twice',
    'test/docs/migrate-from-cluster-autoscaler.test.ts',
    'launches nothing twice',
  ),
  promised(
    'README.md',
    'when it has been unneeded for ten minutes',
    'test/docs/migrate-from-cluster-autoscaler.test.ts',
    'removes nothing that is needed',
  ),
  promised(
    'README.md',
    '[less than 1.30 USD a month](docs/cost.md) for an idle cluster of 100 nodes',
    'test/cdk/cost.test.ts',
    'costs less than 1.30 USD',
  ),
  promised(
    'README.md',
    '[less than 1.30 USD a month](docs/cost.md) for an idle cluster of 100 nodes',
    'test/bench/size/main.ts',
    'CPU_SECONDS',
  ),
  promised(
    'README.md',
    'set sizes 0.3 s after the pods were created',
    'test/docs/reaction.test.ts',
    'from an unschedulable pod to the size of its group',
  ),
  promised(
    'README.md',
    '400 pods of a production trace',
    'test/e2e/openb.e2e.ts',
    '400 pods of a production trace run',
  ),
  promised(
    'README.md',
    'its roles have no right to change sizes, to end instances or to evict pods',
    'test/e2e/template-observing.e2e.ts',
    'has no right to do it, and does nothing',
  ),
  promised(
    'README.md',
    'A redacted scenario produces the same decision',
    'test/providers/scenario/redaction/redact.test.ts',
    'of any cluster is decided as the original is',
  ),
  promised(
    'README.md',
    'cluster: seven functions',
    'test/cdk/cluster-stack.test.ts',
    "resourceCountIs('AWS::Lambda::Function', 7)",
  ),
  promised('docs/limits.md', '| `small` | about 300 | 768 MB | 60 s |', 'test/bench/size/main.ts', 'FIGURES'),
  promised('docs/limits.md', '`npm run test:size` in a clone', 'package.json', '"test:size"'),
  promised('docs/cost.md', 'Requests of an hour are counted', 'test/cdk/cost.test.ts', 'has what the cost model has'),
  promised(
    'docs/upgrade.md',
    'A version reads its own format and all older ones',
    'test/docs/stored-versions.test.ts',
    'is read by this version',
  ),
  promised(
    'docs/upgrade.md',
    'An older version does not read newer formats, and never overwrites them',
    'test/e2e/dynamodb.e2e.ts',
    'an item of a newer version',
  ),
  promised(
    'docs/migrate-from-cluster-autoscaler.md',
    'Both may run side by side as long as one of them only observes',
    'test/docs/migrate-from-cluster-autoscaler.test.ts',
    'an observing Outrigger leaves every change',
  ),
  promised(
    'docs/migrate-from-cluster-autoscaler.md',
    'Outrigger removes the taint after the longest possible removal: 19 min 35 s',
    'test/docs/migrate-from-cluster-autoscaler.test.ts',
    '19 min 35 s',
  ),
  promised(
    'docs/migrate-from-cluster-autoscaler.md',
    'It finds the groups as they are',
    'test/docs/migrate-from-cluster-autoscaler.test.ts',
    'on the way back',
  ),
  promised(
    'docs/consolidation.md',
    'Consolidation moves no pod twice within an hour',
    'test/core/disruption/cost-benefit/moves-left.test.ts',
    'within the last hour',
  ),
  promised(
    'docs/disruption.md',
    'so that the group never has fewer ready nodes than its minimum',
    'test/core/disruption/advance-disruptions.test.ts',
    'fewer ready nodes',
  ),
  promised(
    'docs/budgets.md',
    'A budget is in force while a clock in its time zone shows a time within the schedule',
    'test/core/model/schedule.test.ts',
    'a schedule is in force while a clock in its time zone',
  ),
  promised(
    'docs/events.md',
    'An evaluation records at most 100 events',
    'test/providers/kubernetes/events.test.ts',
    'MOST_EVENTS',
  ),
  promised(
    'docs/large-clusters.md',
    'begins with these lists and watches the changes since',
    'test/providers/kubernetes/read/snapshot/list-snapshots.test.ts',
    "No list in full: the cluster's UID, the present version and the watch.",
  ),
  promised(
    'docs/large-clusters.md',
    'An evaluation sees what a full list at its start would show',
    'test/providers/kubernetes/read/view/cached-lists.test.ts',
    'gives in each look what a full list gives',
  ),
  promised(
    'docs/interruption-handling.md',
    'The node is drained at once, until the instance ends',
    'test/simulate-faults/invariants/notices-answered.ts',
    'BOUND_MS = 20_000',
  ),
];

const root = join(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8').replaceAll(/\s+/g, ' ');

test.each(PROMISES)('$page says "$says", and $heldBy holds it', ({ page, says, heldBy, by }) => {
  expect(textOf(page)).toContain(says);
  expect(textOf(heldBy)).toContain(by);
});

/** Words that tell a promise. */
const PROMISING = /\b(?:never|always|at most|within|nothing twice|less than|not at all|every time|at any moment)\b/;

test('each sentence of the README that promises something is held by a test', () => {
  const prose = readFileSync(join(root, 'README.md'), 'utf8').replaceAll(/```[^`]*```/g, '');
  const sentences = prose.split(/(?<=[.:;])\s+|\n\* |\n\n/).map((sentence) => sentence.replaceAll(/\s+/g, ' '));
  const promising = sentences.filter((sentence) => PROMISING.test(sentence));
  expect(promising.length).toBeGreaterThan(5);
  const held = PROMISES.filter(({ page }) => page === 'README.md').map(({ says }) => says);
  expect(promising.filter((sentence) => !held.some((says) => sentence.includes(says)))).toEqual([]);
});
