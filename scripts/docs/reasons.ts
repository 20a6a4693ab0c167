import {
  AWAITING_TERMINATION_LIMIT,
  TAINTING_LIMIT,
  TERMINATING_LIMIT,
  VALIDATING_LIMIT,
} from '../../core/drain/limits.ts';
import type { DrainPhase } from '../../core/model/drain.ts';
import type { FailureClass } from '../../core/model/node-group.ts';
import { CLUSTER_OPTIONS, GROUP_OPTIONS } from '../../core/model/options.ts';
import { formatDuration } from '../../core/model/values/time.ts';
import { LASTING } from '../../core/registry/backoff.ts';
import { CLOUD_ANSWERS, INTENT_STATUS, WRITE_ANSWERS } from '../../core/words/answers.ts';
import { DISRUPTION_STATES, WHY_DISRUPTED, WHY_DISRUPTION_CANCELLED } from '../../core/words/disruption.ts';
import { DRAIN_BLOCKERS } from '../../core/words/drain-blockers.ts';
import { DRAIN_PHASES, WHY_DRAIN_FAILED } from '../../core/words/drain.ts';
import { MODE_WORDS } from '../../core/words/modes.ts';
import { OVERDUE_WORK } from '../../core/words/overdue-work.ts';
import { POD_OUTCOMES, SCALE_DOWN_RESULTS, SCALE_UP_RESULTS } from '../../core/words/outcomes.ts';
import { PROVISIONING_OUTCOMES } from '../../core/words/provisioning.ts';
import { REPAIRS } from '../../core/words/repairs.ts';
import { HEALTH_PROBLEMS } from '../../core/words/health-problems.ts';
import { SILENCE } from '../../core/words/silence.ts';
import { SNAPSHOT_USES } from '../../core/words/snapshot-uses.ts';
import { UNEXPECTED_ERRORS } from '../../core/words/unexpected-errors.ts';
import { CLOUD_ACTION_WORDS } from '../../core/words/cloud-actions.ts';
import { WHY_GROUP_SKIPPED } from '../../core/words/why-group-skipped.ts';
import { NOTICE_ANSWER_WORDS, NOTICES } from '../../core/words/notices.ts';
import { PAUSED_PARTS_WORDS } from '../../core/words/pause.ts';
import { WHY_LAUNCH_FAILED } from '../../core/words/why-launch-failed.ts';
import { WHY_NODE_EXCLUDED } from '../../core/words/why-node-excluded.ts';
import { WHY_NODE_STAYS } from '../../core/words/why-node-stays.ts';
import { WHY_POD_BLOCKS } from '../../core/words/why-pod-blocks.ts';
import { WHY_POD_DOES_NOT_FIT } from '../../core/words/why-pod-does-not-fit.ts';
import { WHY_SIZE_NOT_SET } from '../../core/words/why-size-not-set.ts';
import type { Words } from '../../core/words/words.ts';
import { head, row, withTables } from './marked-tables.ts';

type Table = Readonly<Record<string, Words>>;

interface Section {
  readonly title: string;
  /** The objects that have this reason, and the page with the rules. */
  readonly about: string;
  readonly table: Table;
}

const SECTIONS: readonly Section[] = [
  {
    title: 'Results of scale-up',
    about: '`scaleUp.result` of a decision.',
    table: SCALE_UP_RESULTS,
  },
  {
    title: 'Outcomes of pending pods',
    about: '`scaleUp.pods[].outcome`. What keeps a pod from a node group is among its `reasons`.',
    table: POD_OUTCOMES,
  },
  {
    title: 'What a ProvisioningRequest is answered',
    about:
      '`scaleUp.provisioningRequests[].outcome`, and the reasons of its conditions. [provisioning-requests.md](provisioning-requests.md)',
    table: PROVISIONING_OUTCOMES,
  },
  {
    title: 'Why a pod does not fit on a node',
    about:
      "kube-scheduler's filter plugins, as `simulate --fit` names them. The `reasons` of a pod have the exact message of the plugin: `Insufficient cpu`.",
    table: WHY_POD_DOES_NOT_FIT,
  },
  {
    title: 'Why a node group is skipped',
    about:
      "`scaleUp.skippedGroups[].reason`; the short text is part of the pods' reasons. [cluster-state.md](cluster-state.md)",
    table: WHY_GROUP_SKIPPED,
  },
  {
    title: 'Actions of the cloud on node groups',
    about: '`registry.groups.*.warnings`, and `cloudActions` in scenarios. Node groups are scaled all the same.',
    table: CLOUD_ACTION_WORDS,
  },
  {
    title: 'Why a launch failed',
    about: 'The class of a failure. [cluster-state.md](cluster-state.md#failures)',
    table: WHY_LAUNCH_FAILED,
  },
  {
    title: 'Repairs',
    about: '`registry.repairs[].kind`. [cluster-state.md](cluster-state.md#repairs)',
    table: REPAIRS,
  },
  {
    title: 'Results of scale-down',
    about: '`scaleDown.result`. [scale-down.md](scale-down.md#when-nothing-is-removed)',
    table: SCALE_DOWN_RESULTS,
  },
  {
    title: 'Why a node is kept',
    about: '`scaleDown.unremovable[].reason`. [scale-down.md](scale-down.md)',
    table: WHY_NODE_STAYS,
  },
  {
    title: 'Why a pod blocks its node',
    about: '`scaleDown.unremovable[].podReason`, with the `pod`. [scale-down.md](scale-down.md)',
    table: WHY_POD_BLOCKS,
  },
  {
    title: 'Why a node is excluded',
    about:
      '`excludedNodes[].reason` of a scenario: such a node counts as neither room nor removable. [unreadable-objects.md](unreadable-objects.md)',
    table: WHY_NODE_EXCLUDED,
  },
  {
    title: 'Notices of the cloud',
    about:
      '`departures[].notice` of a decision, and `notices[].kind` of a scenario. [interruption-handling.md](interruption-handling.md)',
    table: NOTICES,
  },
  {
    title: 'What is done for a notice',
    about: '`notices[].answer` of a decision. [interruption-handling.md](interruption-handling.md)',
    table: NOTICE_ANSWER_WORDS,
  },
  {
    title: 'What a pause holds back',
    about: '`pauses[].part` of a decision and of a scenario. [pause.md](pause.md)',
    table: PAUSED_PARTS_WORDS,
  },
  {
    title: 'Why a node is disrupted',
    about:
      '`scaleDown.removals[].reason` and `scaleDown.disruptions[].reason` of a decision. [disruption.md](disruption.md)',
    table: WHY_DISRUPTED,
  },
  {
    title: 'What becomes of a disruption',
    about: '`scaleDown.disruptions[].state` of a decision. [disruption.md](disruption.md)',
    table: DISRUPTION_STATES,
  },
  {
    title: 'Why a disruption is canceled',
    about: '`scaleDown.disruptions[].cancelled` of a decision. [disruption.md](disruption.md)',
    table: WHY_DISRUPTION_CANCELLED,
  },
  { title: 'Phases of a drain', about: '[drain.md](drain.md#phases)', table: DRAIN_PHASES },
  {
    title: 'Why a drain is rolled back',
    about:
      'The outcome of a drain, and the event `ScaleDownFailed` of the node. [drain.md](drain.md#what-stops-a-drain)',
    table: WHY_DRAIN_FAILED,
  },
  {
    title: 'What stops a drain',
    about: 'The message of such an outcome, with names and times. [drain.md](drain.md#what-stops-a-drain)',
    table: DRAIN_BLOCKERS,
  },
  {
    title: 'What becomes of an intent',
    about: 'Of a size to be set, instances to be terminated, nodes to be removed.',
    table: INTENT_STATUS,
  },
  {
    title: 'Why a size is not set',
    about: 'The outcome of an intent that was refused, or done already.',
    table: WHY_SIZE_NOT_SET,
  },
  {
    title: 'What is overdue',
    about:
      'In the log of `ScaleUp`, with the alarm [NeedsCorrection](troubleshooting.md#needscorrection), and in `outrigger status`, which alone tells of `ScaleUp` itself ([explain.md](explain.md)).',
    table: { ...SILENCE, ...OVERDUE_WORK },
  },
  {
    title: 'What is wrong with the cluster',
    about:
      'In the log of `ScaleUp`, with the alarm [NeedsCorrection](troubleshooting.md#needscorrection), and in `outrigger status`.',
    table: HEALTH_PROBLEMS,
  },
  { title: 'Modes of a cluster', about: 'The setting `mode`, as `outrigger status` tells it.', table: MODE_WORDS },
  { title: 'Answers of the API server', about: 'To a change of a node, or to an eviction.', table: WRITE_ANSWERS },
  {
    title: 'Answers to changes of node groups',
    about: 'Of AWS, or of the API server of Cluster API.',
    table: CLOUD_ANSWERS,
  },
  {
    title: 'What becomes of snapshots',
    about:
      '`snapshot`, with the name of the `list`, in a line of the logs of `ScaleUp` and `ScaleDown` on a cold start. [large-clusters.md](large-clusters.md#cold-starts)',
    table: SNAPSHOT_USES,
  },
  {
    title: 'Unexpected errors',
    about: '`unexpectedErrors[].during`: errors of the program, each kept to what it is about.',
    table: UNEXPECTED_ERRORS,
  },
];

/** `docs/reasons.md`: every reason with its words. */
export const reasonsPage = (): string => `<!-- Written by \`npm run docs\` from core/words. -->

# Reasons

Every reason that Outrigger gives has a name, a short text, a sentence and, where something can be done about it, what that
is. The names are part of the public format and do not change; where Kubernetes or Cluster Autoscaler has a name or a text,
it is theirs.

${SECTIONS.map(({ title }) => `* [${title}](#${title.toLowerCase().replaceAll(' ', '-')})`).join('\n')}

${SECTIONS.map(({ title, about, table }) => `## ${title}\n\n${about}\n\n${fullTable(table)}`).join('\n\n')}
`;

/** Tables that stand within other pages, by the name in their markers. */
const TABLES: Readonly<Record<string, () => string>> = {
  'what-becomes-of-a-pod': () => tableOf(POD_OUTCOMES, ['Outcome', 'Meaning', 'What to do'], withAdvice),
  'why-a-group-is-skipped': () => tableOf(WHY_GROUP_SKIPPED, ['Reason', 'Meaning', 'What to do'], withAdvice),
  'results-of-scale-up': () => tableOf(SCALE_UP_RESULTS, ['Result', 'Meaning', 'What to do'], withAdvice),
  'why-a-node-is-kept': () => tableOf(WHY_NODE_STAYS, ['Reason', 'Meaning', 'What to do'], withAdvice),
  'why-a-pod-blocks-its-node': () => tableOf(WHY_POD_BLOCKS, ['Reason', 'Meaning', 'What to do'], withAdvice),
  'drain-phases': () =>
    tableOf(DRAIN_PHASES, ['Phase', 'What is done', 'No longer than'], ({ sentence }, phase) => [
      marked(sentence),
      LONGEST[phase as DrainPhase],
    ]),
  'why-a-drain-is-rolled-back': () => tableOf(WHY_DRAIN_FAILED, ['Outcome', 'Meaning', 'What to do'], withAdvice),
  'what-stops-a-drain': () =>
    tableOf(DRAIN_BLOCKERS, ['Reason', 'Outcome', 'Meaning'], ({ sentence }, kind) => [
      `\`${DRAIN_BLOCKERS[kind as keyof typeof DRAIN_BLOCKERS].failure}\``,
      marked(sentence),
    ]),
  'why-a-launch-failed': () =>
    tableOf(WHY_LAUNCH_FAILED, ['Class', 'Meaning', 'What to do', 'Backoff'], (words, failure) => [
      ...withAdvice(words),
      LASTING.includes(failure as FailureClass) ? '30 min at once' : '5 min, doubled up to 30',
    ]),
  repairs: () => tableOf(REPAIRS, ['Repair', 'When, and how', 'What to do'], withAdvice),
};

/** Longest time in each phase of a drain. */
const LONGEST: Readonly<Record<DrainPhase, string>> = {
  Tainting: formatDuration(TAINTING_LIMIT),
  Validating: `\`nodeDeleteDelayAfterTaint\`, and ${formatDuration(VALIDATING_LIMIT)} if AWS does not answer`,
  Evicting: 'see below',
  DeletionDelay: '`nodeDeletionDelayTimeout`, then it goes on',
  Terminating: formatDuration(TERMINATING_LIMIT),
  AwaitingTermination: formatDuration(AWAITING_TERMINATION_LIMIT),
  RollingBack: '–',
  Removed: 'the end',
  RolledBack: 'the end',
};

/**
 * A page with its tables of reasons as the code has them.
 *
 * @throws Error where a marker names no table, or has no end.
 */
export const withReasons = (page: string): string => withTables(page, 'core/words', TABLES);

const fullTable = (table: Table): string =>
  tableOf(table, ['Reason', 'Short text', 'Sentence', 'What to do'], (words) => [words.short, ...withAdvice(words)]);

const withAdvice = ({ sentence, advice }: Words): readonly string[] => [
  marked(sentence),
  advice === undefined ? '–' : marked(advice),
];

function tableOf(
  table: Table,
  titles: readonly string[],
  cells: (words: Words, reason: string) => readonly string[],
): string {
  const rows = Object.entries(table).map(([reason, words]) => row(`\`${reason}\``, ...cells(words, reason)));
  return [...head(...titles), ...rows].join('\n');
}

const OPTION_NAMES = Object.keys({ ...CLUSTER_OPTIONS, ...GROUP_OPTIONS }).filter((name) => /[A-Z]/.test(name));
const CODE = new RegExp(
  `[\\w.-]+\\.(?:io|sh|dev)/[\\w./…-]*[\\w…](?:: "[^"]*")?|\\b(?:${OPTION_NAMES.join('|')}|TerminateInstanceInAutoScalingGroup)\\b`,
  'g',
);

/** With the names of options, annotations and calls as code. */
const marked = (text: string): string => text.replaceAll(CODE, (code) => `\`${code}\``);
