import type { DecisionOfReport, Report, ReportRow } from '../../../cli/html/report.ts';
import { countedReason, detailsApart, type GroupTold, messageTold, type PodTold, type Told } from './told.ts';

// Takes apart the page of decisions.

const rowsOf = ({ decisions }: Report, kind: DecisionOfReport['kind'], title: string): readonly ReportRow[] =>
  // The last one is on top.
  decisions.find((decision) => decision.kind === kind)!.sections.find((section) => section.title === title)?.rows ?? [];

export interface PodOnPage {
  /** Reason and message of its event. */
  readonly event: string;
  /** By the message. */
  readonly told: PodTold;
  /** By the lines below it. */
  readonly reasons: readonly string[];
}

/** @param expected tells which lines are details */
export const podsOnPage = (report: Report, expected: Told<PodTold>): Told<PodOnPage> =>
  Object.fromEntries(
    rowsOf(report, 'scale-up', 'Pending pods').flatMap(({ label, text, subjects }) => {
      const [message = '', ...lines] = text.split('\n');
      return subjects.map((pod) => {
        const [why, details] = detailsApart(lines, expected[pod]!.details);
        const reasons = why.map((line) => countedReason(line.replace(/ \([^()]*, [^()]*\)$/, '')));
        const said = [message, ...details].join('. ');
        return [pod, { event: `${label} ${said}`, told: messageTold(said), reasons }];
      });
    }),
  );

/** The node groups by the table at the top. */
export const groupsOnPage = ({ tables = [] }: Report): Told<GroupTold> =>
  Object.fromEntries(
    (tables.find(({ title }) => title === 'Node groups')?.rows ?? []).map(
      ([group, size = '', bounds = '', ready = '', , trouble = '']) => {
        const [min, max] = bounds.split('–').map(Number);
        return [group, { size, min: min!, max: max!, ready: Number(ready), trouble }];
      },
    ),
  );

/** Messages about the groups that grow, as events have them. */
export const growingOnPage = (report: Report): readonly string[] =>
  rowsOf(report, 'scale-up', 'Node groups that grow').map(({ text }) => text);

/** Why each node stays, with the name of the reason: in the decision. */
export const staysOnPage = (report: Report): Told<string> =>
  Object.fromEntries(
    rowsOf(report, 'scale-down', 'Nodes kept').flatMap(({ label, text, subjects }) =>
      subjects.map((node) => [node, `${label}: ${text}`]),
    ),
  );
