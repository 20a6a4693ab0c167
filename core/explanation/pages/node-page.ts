import { counted } from '../../model/values/counted.ts';
import { mapOptional, presentItems } from '../../model/values/optional.ts';
import type { EpochMs } from '../../model/values/time.ts';
import { disruptionText } from '../../words/disruption.ts';
import { noticeText } from '../../words/notices.ts';
import { utilizationText } from '../../words/utilization.ts';
import { sinceText, untilText } from '../../words/when.ts';
import type { NodeExplanation } from '../node.ts';
import { drainLines, staysText } from '../sentences.ts';
import { TITLES } from '../titles.ts';
import { namedObjects, type SubjectPage, rowOf } from './page.ts';

/** Whether a node is needed, why it stays, and how its drain gets on. */
export function nodePage(explanation: NodeExplanation, now: EpochMs): SubjectPage {
  const { node, group, decidedAt, message, unneededSince, utilization, removal, unremovable } = explanation;
  const { drain, notice, disruption } = explanation;
  const since = (at: EpochMs): string => sinceText(at, now);
  return [
    {
      facts: [
        ['Node', node],
        ['Node group', mapOptional(group, (name) => namedObjects('group', [name])) ?? 'none that is known'],
        ['Scale-down', mapOptional(decidedAt, since) ?? 'not evaluated yet'],
        ['Needed', neededText(explanation)],
        ['Unneeded since', mapOptional(unneededSince, since)],
        ['Requested', mapOptional(utilization, utilizationText)],
        ['Removal', mapOptional(removal, removalText)],
        ['Pods to move', namedObjects('pod', removal?.pods ?? [])],
        ['Held back', message],
        ['Kept by pod', namedObjects('pod', presentItems([unremovable?.pod]))],
        ['Checked again', mapOptional(unremovable?.until ?? null, (until) => untilText(until, now))],
      ],
    },
    {
      title: TITLES.whyKept,
      rows: presentItems([unremovable]).map((one) => rowOf(staysText(one), { details: sentencesOf(one) })),
    },
    {
      sentences:
        presentItems([unremovable, removal, drain, disruption]).length === 0 &&
        'The last decision of scale-down says nothing about it.',
    },
    {
      title: TITLES.replacement,
      rows: presentItems([disruption]).map((one) => rowOf(disruptionText(one), { details: sentencesOf(one) })),
    },
    {
      title: TITLES.notices,
      rows: presentItems([notice]).map((one) => rowOf(noticeText(one), { details: sentencesOf(one) })),
    },
    {
      title: TITLES.drain,
      rows: presentItems([drain]).map((one) => rowOf('', { lines: drainLines(one, now) })),
    },
  ];
}

function neededText({ unneededSince, removal, unremovable }: NodeExplanation): string {
  if (unneededSince !== null || removal !== null) {
    return 'no';
  }
  return mapOptional(unremovable, () => 'yes') ?? 'not known';
}

const removalText = ({ kind, pods }: NonNullable<NodeExplanation['removal']>): string =>
  kind === 'empty' ? 'no pod of it needs another place' : `${counted(pods.length, 'pod')} must move`;

const sentencesOf = ({ meaning, advice }: { readonly meaning: string; readonly advice: string | null }): string =>
  presentItems([meaning, advice]).join(' ');
