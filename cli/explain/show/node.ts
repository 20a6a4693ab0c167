import { firstNames } from '@outrigger/core/model/values/clip.ts';
import type { NodeExplanation } from '@outrigger/core/explanation/node.ts';
import { drainLines, staysText } from '@outrigger/core/explanation/sentences.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { utilizationText } from '@outrigger/core/words/utilization.ts';
import { disruptionText } from '@outrigger/core/words/disruption.ts';
import { noticeText } from '@outrigger/core/words/notices.ts';
import { sinceText, untilText } from '@outrigger/core/words/when.ts';
import type { Style } from '../../terminal/text.ts';
import { facts, listed, page, prose, withAdvice } from './page.ts';

const removalText = ({ kind, pods }: NonNullable<NodeExplanation['removal']>): string =>
  kind === 'empty'
    ? 'It is removed, as no pod of it needs another place.'
    : `It is removed: ${counted(pods.length, 'pod')} must move, ${firstNames(pods, 10)}.`;

/** Whether a node is needed, why it stays, and how its drain gets on. */
export function tellNode(explanation: NodeExplanation, now: EpochMs, style: Style): string {
  const { node, group, decidedAt, message, unneededSince, utilization, removal, stays, drain, notice, disruption } =
    explanation;
  const isUnneeded = unneededSince !== null || removal !== null;
  const needed = stays === null ? 'not known' : 'yes';
  return page([
    facts(
      [
        ['Node', node],
        ['Node group', group ?? 'none that is known'],
        ['Scale-down', decidedAt === null ? 'not evaluated yet' : sinceText(decidedAt, now)],
        ['Needed', isUnneeded ? 'no' : needed],
        ['Unneeded since', unneededSince === null ? null : sinceText(unneededSince, now)],
        ['Requested', utilization === null ? null : utilizationText(utilization)],
        ['Held back', message],
        ['Checked again', stays === null || stays.until === null ? null : untilText(stays.until, now)],
      ],
      style,
    ),
    listed('Why it stays, by the last decision', stays === null ? [] : [[staysText(stays)]], [], style),
    stays === null ? [] : prose([stays.meaning, stays.advice].filter((part) => part !== null).join(' '), style),
    removal === null ? [] : prose(removalText(removal), style),
    stays === null && removal === null && drain === null && disruption === null
      ? prose('The last decision of scale-down says nothing about it.', style)
      : [],
    ...(disruption === null
      ? []
      : [
          listed('Replacement', [[disruptionText(disruption)]], [], style),
          prose(withAdvice(disruption.meaning, disruption.advice), style),
        ]),
    ...(notice === null
      ? []
      : [
          listed('Interruption notices', [[noticeText(notice)]], [], style),
          prose(withAdvice(notice.meaning, notice.advice), style),
        ]),
    listed('Drain', drain === null ? [] : drainLines(drain, now).map((line) => [line]), [], style),
  ]);
}
