import { expect, it } from 'vitest';
import { type Flag, FLAGS, flagOf } from '../../config/flags.ts';
import { CLUSTER_OPTIONS, GROUP_OPTIONS } from '../../core/model/options.ts';

/** Options that are no flag of Cluster Autoscaler. */
const OUR_OWN = [
  'nearTieRatio',
  'consolidateAfter',
  'consolidation',
  'consolidationHorizon',
  'consolidationMaxMovesPerDay',
  'consolidationMaxMovesPerPod',
  'consolidationMinNodeAge',
  'consolidationMinSaving',
  'consolidationUtilizationThreshold',
  'jobProtectionAge',
  'fillOldestNodesFirst',
  'plannedPlacement',
  'prices',
  'reservedCapacity',
  'mixedGroupTemplates',
  'driftReplacement',
  'expireAfter',
  'externalExpander',
  'nodeRepair',
  'rebalanceRecommendation',
  'scheduledChange',
  'disruptionBudgets',
  'capacitySchedules',
  'spotInterruption',
  'idleEvaluationInterval',
  'incrementalReads',
  'incrementalReadsFrom',
  'maxHeadroomPerNamespace',
  'maxCostPerHour',
  'decisionHistory',
  // Constants of Cluster Autoscaler.
  'unschedulablePodTimeBuffer',
  'unschedulablePodWithGpuTimeBuffer',
  'nodeLifecycleTaints',
  // Options of node groups alone.
  'zeroOrMaxNodeScaling',
];

const optionsOf = (flags: readonly Flag[]): readonly string[] =>
  flags.flatMap(({ counterpart }) => (counterpart.kind === 'option' ? [counterpart.option] : []));

it('every option is a flag’s counterpart, or Outrigger’s own', () => {
  const options = Object.keys({ ...CLUSTER_OPTIONS, ...GROUP_OPTIONS });
  expect([...new Set([...optionsOf(FLAGS), ...OUR_OWN])].toSorted()).toEqual(options.toSorted());
});

it('an option of Outrigger’s own is no flag’s counterpart', () => {
  expect(optionsOf(FLAGS).filter((option) => OUR_OWN.includes(option))).toEqual([]);
});

it('has the parameters of Cluster Autoscaler’s FAQ, all of them', () => {
  expect(FLAGS.filter(({ version }) => version === 'listed')).toHaveLength(158);
});

it('has each flag once', () => {
  const names = FLAGS.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
});

it.each(['max-nodes-total', 'maxNodesTotal', 'max_nodes_total'])('accepts %s', (name) => {
  expect(flagOf(name)?.name).toBe('max-nodes-total');
});

it('says a reason in one sentence or two where there is no option', () => {
  const reasons = FLAGS.flatMap(({ counterpart }) => (counterpart.kind === 'option' ? [] : [counterpart.why]));
  expect(reasons.filter((why) => !/^[A-Z].{8,}\.$/.test(why))).toEqual([]);
});
