import { firstNames } from '@outrigger/core/model/values/clip.ts';
import type { NodeExplanation } from '@outrigger/core/explanation/node.ts';
import { drainLines, staysText } from '@outrigger/core/explanation/sentences.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { utilizationText } from '@outrigger/core/words/utilization.ts';
import { disruptionText } from '@outrigger/core/words/disruption.ts';
import { noticeText } from '@outrigger/core/words/notices.ts';
import { sinceText, untilText } from '@outrigger/core/words/when.ts';
import type { Style } from '../../terminal/text.ts';
import { facts, listed, lists, optionalRow, page, prose, withAdvice } from './page.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

function removalText({ kind, pods }: NonNullable<NodeExplanation['removal']>): string {
  if (kind === 'empty') {
    return 'It is removed, as no pod of it needs another place.';
  }
  return `It is removed: ${counted(pods.length, 'pod')} must move, ${firstNames(pods, 10)}.`;
}

/** Whether a node is needed, why it stays, and how its drain gets on. */
export function tellNode(explanation: NodeExplanation, now: EpochMs, style: Style): string {
  const {
    node,
    group,
    decidedAt,
    message,
    unneededSince,
    utilization,
    removal,
    unremovable,
    drain,
    notice,
    disruption,
  } = explanation;
  const isUnneeded = unneededSince !== null || removal !== null;
  const needed = unremovable === null ? 'not known' : 'yes';
  const since = (at: EpochMs): string => sinceText(at, now);
  return page([
    facts(
      [
        ['Node', node],
        ['Node group', group ?? 'none that is known'],
        ['Scale-down', mapOptional(decidedAt, since) ?? 'not evaluated yet'],
        ['Needed', isUnneeded ? 'no' : needed],
        ['Unneeded since', mapOptional(unneededSince, since)],
        ['Requested', mapOptional(utilization, utilizationText)],
        ['Held back', message],
        ['Checked again', mapOptional(unremovable?.until ?? null, (until) => untilText(until, now))],
      ],
      style,
    ),
    listed(TITLES.whyKept, optionalRow(unremovable, staysText), style),
    prose(mapOptional(unremovable, reasonText), style),
    prose(mapOptional(removal, removalText), style),
    prose(
      presentItems([unremovable, removal, drain, disruption]).length === 0 &&
        'The last decision of scale-down says nothing about it.',
      style,
    ),
    listed(TITLES.replacement, optionalRow(disruption, disruptionText), style),
    prose(mapOptional(disruption, meaningText), style),
    listed(TITLES.notices, optionalRow(notice, noticeText), style),
    prose(mapOptional(notice, meaningText), style),
    ...lists(style, [
      [TITLES.drain, presentItems([drain]).flatMap((one) => drainLines(one, now).map((line) => [line]))],
    ]),
  ]);
}

const reasonText = ({ meaning, advice }: NonNullable<NodeExplanation['unremovable']>): string =>
  presentItems([meaning, advice]).join(' ');

const meaningText = ({ meaning, advice }: { readonly meaning: string; readonly advice: string | null }): string =>
  withAdvice(meaning, advice);
