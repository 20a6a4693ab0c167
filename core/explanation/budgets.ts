import type { GroupName } from '../model/values/names.ts';
import { budgetReportText } from '../words/disruption-budgets.ts';
import type { ClusterRecord } from './cluster-record.ts';

/** A disruption budget that was in force at the latest decision of scale-down. */
export interface BudgetExplanation {
  /** `null`: of the cluster. */
  readonly group: GroupName | null;
  /** In words. */
  readonly text: string;
}

/** The cluster's first, then those of node groups. */
export const knownBudgets = ({ scaleDown }: ClusterRecord): readonly BudgetExplanation[] =>
  (scaleDown?.scaleDown.budgets ?? []).map((report) => ({ group: report.group, text: budgetReportText(report) }));
