import { mapOptional } from '../../model/values/optional.ts';
import { groupName, nodeName, type PodKey } from '../../model/values/names.ts';
import { printableData } from '../../model/values/printable.ts';
import type { ClusterRecord } from '../cluster-record.ts';
import { explainGroup } from '../group.ts';
import { explainNode } from '../node.ts';
import { explainPod } from '../pod.ts';
import { groupPage } from './group-page.ts';
import { nodePage } from './node-page.ts';
import type { Subject, SubjectPage } from './page.ts';
import { podPage } from './pod-page.ts';

/** An explanation, and its page: texts of users have printable characters alone there. */
interface SubjectExplanation {
  readonly kind: 'PodExplanation' | 'NodeExplanation' | 'GroupExplanation';
  readonly explanation: object;
  readonly page: SubjectPage;
}

/**
 * A pod, node or node group, by the last decisions; `null` where nothing is known of it.
 *
 * @param name of a pod: `NAMESPACE/NAME`
 */
export function explainSubject(record: ClusterRecord, subject: Subject, name: string): SubjectExplanation | null {
  const { now } = record;
  switch (subject) {
    case 'pod':
      return mapOptional(explainPod(record, name as PodKey), (explanation) => ({
        kind: 'PodExplanation',
        explanation,
        page: podPage(withPrintableTexts(explanation), now),
      }));
    case 'node':
      return mapOptional(explainNode(record, nodeName(name)), (explanation) => ({
        kind: 'NodeExplanation',
        explanation,
        page: nodePage(withPrintableTexts(explanation), now),
      }));
    case 'group':
      return mapOptional(explainGroup(record, groupName(name)), (explanation) => ({
        kind: 'GroupExplanation',
        explanation,
        page: groupPage(withPrintableTexts(explanation), now),
      }));
  }
}

const withPrintableTexts = <T extends object>(explanation: T): T => printableData(explanation) as T;
