import { distance } from 'fastest-levenshtein';
import { knownGroups } from '@outrigger/core/explanation/group.ts';
import { knownNodes } from '@outrigger/core/explanation/node.ts';
import { knownPods } from '@outrigger/core/explanation/pod.ts';
import { decidedAt, type ClusterRecord } from '@outrigger/core/explanation/cluster-record.ts';
import type { Subject } from '@outrigger/core/explanation/pages/page.ts';
import { explainSubject } from '@outrigger/core/explanation/pages/subject-page.ts';
import { statusOf, type ClusterStatus } from '@outrigger/core/explanation/status.ts';
import type { Evaluation } from '@outrigger/core/model/decision.ts';
import { printableData } from '@outrigger/core/model/values/printable.ts';
import type { PodKey } from '@outrigger/core/model/values/names.ts';
import { err, ok } from '@outrigger/core/model/values/result.ts';
import { sinceText } from '@outrigger/core/words/when.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import { loadClusterRecord } from '@outrigger/providers/cluster-record.ts';
import type { AnswerResult, ClusterStores } from './stored.ts';
import { textPage } from './show/page.ts';
import { formatStatus } from './show/status.ts';

/** Answers by the last decisions of a cluster, and what is stored beside them. */
export const byRecord =
  (answer: (record: ClusterRecord) => AnswerResult) =>
  async ({ cluster, table, options, now, signal, ...stores }: ClusterStores): Promise<AnswerResult> => {
    const record = await loadClusterRecord(stores, { cluster, options, now }, signal);
    if (record === null) {
      return err([
        `error: Cluster ${cluster} was never evaluated, as far as table ${table} has it: see the log of the ScaleUp function`,
      ]);
    }
    return answer(record);
  };

/** The whole cluster. */
export const aboutCluster = (record: ClusterRecord): AnswerResult => {
  const status = statusOf(record);
  // Texts of users are not to steer the terminal.
  return ok({
    kind: 'Status',
    explanation: status,
    text: (style) => formatStatus(printableData(status) as ClusterStatus, style),
  });
};

/** A pod, node or node group; the error says that nothing is known of it, since when, and which names are near. */
export function subjectText(subject: Subject, given: string, record: ClusterRecord): AnswerResult {
  const name = subject === 'pod' ? podKeyOf(given) : given;
  const explained = explainSubject(record, subject, name);
  if (explained === null) {
    return err(UNKNOWN[subject](name, record));
  }
  const { kind, explanation, page } = explained;
  return ok({ kind, explanation, text: (style) => textPage(page, style) });
}

const UNKNOWN: Readonly<Record<Subject, (name: string, record: ClusterRecord) => readonly string[]>> = {
  pod: (name, record) => [
    ...unknownOf({ noun: 'pod', name, known: knownPods(record) }, 'ScaleUp', record),
    'The decision mentions pods that are pending, prevent the removal of their node, or must move. A pod that is not mentioned was already scheduled, did not exist, or had not been tried by a scheduler (because of scheduling gates, for instance).',
  ],
  node: (name, record) => unknownOf({ noun: 'node', name, known: knownNodes(record) }, 'ScaleDown', record),
  group: (name, record) => unknownOf({ noun: 'node group', name, known: knownGroups(record) }, 'ScaleUp', record),
};

/** The key of a pod by its name, with its namespace or without. */
export const podKeyOf = (name: string): PodKey => (name.includes('/') ? name : `default/${name}`) as PodKey;

const MOST_NAMES = 3;

/** A subject of which nothing is known, and the names of those that are known. */
interface UnknownSubject {
  readonly noun: string;
  readonly name: string;
  readonly known: readonly string[];
}

function unknownOf({ noun, name, known }: UnknownSubject, part: Evaluation, record: ClusterRecord): readonly string[] {
  const error = `error: Nothing is known of ${noun} ${name}: ${whyUnknown(part, record)}`;
  const near = nearestNames(name, known);
  return presentItems([error, near.length > 0 && `Did you mean ${near.join(', ')}?`]);
}

const PARTS = {
  ScaleUp: { title: 'scale-up', decision: 'scaleUp' },
  ScaleDown: { title: 'scale-down', decision: 'scaleDown' },
} as const satisfies Readonly<Record<Evaluation, unknown>>;

function whyUnknown(part: Evaluation, record: ClusterRecord): string {
  const { title, decision } = PARTS[part];
  const at = decidedAt(record, part);
  if (at === null) {
    return `${title} has not been evaluated yet`;
  }
  const last = sinceText(at, record.now);
  if (record[decision] === null) {
    return `no decision of ${title} is stored any more, the last one is of ${last}`;
  }
  return `the last decision of ${title} (${last}) does not mention it`;
}

/** The known names that are nearest to one: at most three, and none that has little of it. */
export function nearestNames(name: string, known: readonly string[]): readonly string[] {
  const most = Math.max(2, Math.ceil(name.slice(name.indexOf('/') + 1).length / 3));
  return known
    .map((one) => ({ one, apart: one.endsWith(`/${name.replace(/^default\//, '')}`) ? 0 : distance(name, one) }))
    .filter(({ apart }) => apart <= most)
    .toSorted((a, b) => a.apart - b.apart)
    .slice(0, MOST_NAMES)
    .map(({ one }) => one);
}
