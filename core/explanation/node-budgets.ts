import type { GroupName } from '../model/values/names.ts';
import { nodeBudgetReportText } from '../words/node-budgets.ts';
import type { ClusterRecord } from './cluster-record.ts';

/** A disruption budget that was in force at the latest decision of scale-down. */
export interface NodeBudgetExplanation {
  /** `null`: of the cluster. */
  readonly group: GroupName | null;
  /** In words. */
  readonly text: string;
}

/** The cluster's first, then those of node groups. */
export const knownNodeBudgets = ({ scaleDown }: ClusterRecord): readonly NodeBudgetExplanation[] =>
  (scaleDown?.scaleDown.budgets ?? []).map((report) => ({ group: report.group, text: nodeBudgetReportText(report) }));
