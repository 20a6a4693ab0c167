import { firstNames } from '@outrigger/core/model/values/clip.ts';
import type { GroupExplanation } from '@outrigger/core/explanation/group.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { learnedText } from '@outrigger/core/words/unneeded-time.ts';
import { disruptionText } from '@outrigger/core/words/disruption.ts';
import { noticeText, shortageText } from '@outrigger/core/words/notices.ts';
import { resizedByOthersText } from '@outrigger/core/words/resized-by-others.ts';
import { zonalShiftText } from '@outrigger/core/words/zonal-shifts.ts';
import { sinceText, untilText } from '@outrigger/core/words/when.ts';
import { CLOUD_ACTION_WORDS } from '@outrigger/core/words/cloud-actions.ts';
import type { Style } from '../../terminal/text.ts';
import { type PageFact, facts, listed, page, withAdvice } from './page.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/** Sizes, template, backoff and the last changes of a node group. */
export function tellGroup(group: GroupExplanation, now: EpochMs, style: Style): string {
  const { skipped, backoff, warnings, repairs } = group;
  return page([
    facts([...sizes(group, now), ...changes(group, now)], style),
    listed(
      'Cannot grow now',
      skipped === null ? [] : [[skipped.reason, withAdvice(skipped.why, sentences(skipped.meaning, skipped.advice))]],
      ['left'],
      style,
    ),
    listed(
      'In backoff',
      backoff === null
        ? []
        : [[backoff.class, withAdvice(`${backoff.why}; until ${untilText(backoff.until, now)}`, backoff.meaning)]],
      ['left'],
      style,
    ),
    listed(
      'Repairs',
      repairs.map((one) => [one]),
      [],
      style,
    ),
    listed(
      'Headroom',
      group.headroom.map((one) => [one.group === null ? one.name : 'at least', withAdvice(one.text, one.advice)]),
      ['left'],
      style,
    ),
    listed(
      'Disruption budgets',
      group.budgets.map((one) => [one]),
      [],
      style,
    ),
    listed(
      'Replacements',
      group.disruptions.map((one) => [one.nodes.join(', '), disruptionText(one)]),
      ['left'],
      style,
    ),
    listed(
      'Interruption notices',
      group.notices.map((notice) => [notice.node ?? notice.instance, noticeText(notice)]),
      ['left'],
      style,
    ),
    listed(
      'Capacity shortages',
      group.shortages.map((one) => [shortageText(one)]),
      [],
      style,
    ),
    listed(
      'Shifted away from',
      group.zonalShifts.map((one) => [zonalShiftText(one, now)]),
      [],
      style,
    ),
    listed(
      'Done by the cloud',
      warnings.map((one) => [one, sentences(CLOUD_ACTION_WORDS[one].sentence, CLOUD_ACTION_WORDS[one].advice)]),
      ['left'],
      style,
    ),
  ]);
}

const sentences = (meaning: string, advice: string | null | undefined): string =>
  presentItems([meaning, advice]).join(' ');

function sizes(group: GroupExplanation, now: EpochMs): readonly PageFact[] {
  const { decidedAt, min, max, target, upcoming, healthy, nodes, incorrectSize, resizedByOthers, template, members } =
    group;
  return [
    ['Node group', group.group],
    ['Decided', decidedAt === null ? null : sinceText(decidedAt, now)],
    ['Size', `${target}${min === null || max === null ? '' : `, of ${min} to ${max}`}`],
    [
      'Nodes',
      [
        `${nodes.ready} ready`,
        ...(upcoming > 0 ? [`${upcoming} upcoming`] : []),
        ...(nodes.unready > 0 ? [`${nodes.unready} not ready`] : []),
        ...(nodes.longUnregistered > 0 ? [`${counted(nodes.longUnregistered, 'instance')} without a node`] : []),
        ...(healthy ? [] : ['unhealthy']),
      ].join(', '),
    ],
    [
      'Wrong size',
      incorrectSize === null
        ? null
        : `${incorrectSize.current} instead of ${incorrectSize.expected}, since ${sinceText(incorrectSize.firstObserved, now)}`,
    ],
    ['Changed', resizedByOthers === null ? null : resizedByOthersText(resizedByOthers)],
    ['Members', members === null || members.length === 0 ? null : firstNames(members, 10)],
    ['Template', template === null ? 'not known' : shapeText(template)],
  ];
}

const shapeText = ({ instanceType, cpu, memory }: NonNullable<GroupExplanation['template']>): string =>
  [instanceType, `${cpu / 1_000} CPU`, `${gibibytes(memory)} GiB`].filter((part) => part !== null).join(', ');

const gibibytes = (bytes: number): number => Math.round((bytes / 1024 ** 3) * 10) / 10;

function changes(group: GroupExplanation, now: EpochMs): readonly PageFact[] {
  const { increase, pending, request, lastScaleUp, lastScaleDown, lastScaleDownFailure, unneededTime } = group;
  const { similarGroups, uneven } = group;
  const time = (at: EpochMs | null): string | null => (at === null ? null : sinceText(at, now));
  return [
    ['Decided size', increase === null ? null : `${increase.from} → ${increase.to}`],
    ['Not carried out', pending.length === 0 ? null : pending.join('; ')],
    [
      'Awaited',
      request === null
        ? null
        : `${counted(request.increase, 'node')} of ${sinceText(request.since, now)}, by ${untilText(request.expectedBy, now)}`,
    ],
    ['Last scale-up', time(lastScaleUp)],
    ['Last removal', time(lastScaleDown)],
    ['Last failed removal', time(lastScaleDownFailure)],
    ['Removed after', unneededTime === null ? null : learnedText(unneededTime)],
    ['Similar groups', similarGroups.length === 0 ? null : firstNames(similarGroups, 10)],
    ['Not balanced with', uneven.length === 0 ? null : uneven.map((one) => `${one.group} (${one.reason})`).join('; ')],
  ];
}
