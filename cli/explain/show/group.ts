import { firstNames } from '@outrigger/core/model/values/clip.ts';
import type { GroupExplanation } from '@outrigger/core/explanation/group.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { mapOptional, presentItems, textIf } from '@outrigger/core/model/values/optional.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { learnedText } from '@outrigger/core/words/unneeded-time.ts';
import { disruptionText } from '@outrigger/core/words/disruption.ts';
import { noticeText, shortageText } from '@outrigger/core/words/notices.ts';
import { resizedByOthersText } from '@outrigger/core/words/resized-by-others.ts';
import { zonalShiftText } from '@outrigger/core/words/zonal-shifts.ts';
import { sinceText, untilText } from '@outrigger/core/words/when.ts';
import { CLOUD_ACTION_WORDS } from '@outrigger/core/words/cloud-actions.ts';
import type { Style } from '../../terminal/text.ts';
import { type PageFact, facts, lists, page, withAdvice } from './page.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/** Sizes, template, backoff and the last changes of a node group. */
export function tellGroup(group: GroupExplanation, now: EpochMs, style: Style): string {
  const { skipped, backoff, warnings, repairs } = group;
  return page([
    facts([...sizes(group, now), ...changes(group, now)], style),
    ...lists(style, [
      [
        TITLES.cannotGrow,
        presentItems([skipped]).map(({ reason, why, meaning, advice }) => [
          reason,
          withAdvice(why, sentences(meaning, advice)),
        ]),
      ],
      [
        TITLES.backoff,
        presentItems([backoff]).map(({ class: failure, why, until, meaning }) => [
          failure,
          withAdvice(`${why}; until ${untilText(until, now)}`, meaning),
        ]),
      ],
      [TITLES.repairs, repairs.map((one) => [one])],
      [
        TITLES.headroom,
        group.headroom.map((one) => [one.group === null ? one.name : 'at least', withAdvice(one.text, one.advice)]),
      ],
      [TITLES.budgets, group.budgets.map((one) => [one])],
      [TITLES.replacements, group.disruptions.map((one) => [one.nodes.join(', '), disruptionText(one)])],
      [TITLES.notices, group.notices.map((notice) => [notice.node ?? notice.instance, noticeText(notice)])],
      [TITLES.shortages, group.shortages.map((one) => [shortageText(one)])],
      [TITLES.zonalShifts, group.zonalShifts.map((one) => [zonalShiftText(one, now)])],
      [
        TITLES.cloudActions,
        warnings.map((one) => [one, sentences(CLOUD_ACTION_WORDS[one].sentence, CLOUD_ACTION_WORDS[one].advice)]),
      ],
    ]),
  ]);
}

const sentences = (meaning: string, advice: string | null | undefined): string =>
  presentItems([meaning, advice]).join(' ');

function sizes(group: GroupExplanation, now: EpochMs): readonly PageFact[] {
  const { decidedAt, min, max, target, upcoming, healthy, nodes, incorrectSize, resizedByOthers, template, members } =
    group;
  return [
    ['Node group', group.group],
    ['Decided', mapOptional(decidedAt, (at) => sinceText(at, now))],
    ['Size', `${target}${textIf(min !== null && max !== null, `, of ${min} to ${max}`)}`],
    [
      'Nodes',
      (
        [
          [true, `${nodes.ready} ready`],
          [upcoming > 0, `${upcoming} upcoming`],
          [nodes.unready > 0, `${nodes.unready} not ready`],
          [nodes.longUnregistered > 0, `${counted(nodes.longUnregistered, 'instance')} without a node`],
          [!healthy, 'unhealthy'],
        ] as const
      )
        .filter(([applies]) => applies)
        .map(([, text]) => text)
        .join(', '),
    ],
    [
      'Wrong size',
      mapOptional(
        incorrectSize,
        ({ current, expected, firstObserved }) =>
          `${current} instead of ${expected}, since ${sinceText(firstObserved, now)}`,
      ),
    ],
    ['Changed', mapOptional(resizedByOthers, resizedByOthersText)],
    ['Members', unlessEmpty(firstNames(members ?? [], 10))],
    ['Template', mapOptional(template, shapeText) ?? 'not known'],
  ];
}

const unlessEmpty = (text: string): string | false => text !== '' && text;

const shapeText = ({ instanceType, cpu, memory }: NonNullable<GroupExplanation['template']>): string =>
  presentItems([instanceType, `${cpu / 1_000} CPU`, `${gibibytes(memory)} GiB`]).join(', ');

const gibibytes = (bytes: number): number => Math.round((bytes / 1024 ** 3) * 10) / 10;

function changes(group: GroupExplanation, now: EpochMs): readonly PageFact[] {
  const { increase, pending, request, lastScaleUp, lastScaleDown, lastScaleDownFailure, unneededTime } = group;
  const { similarGroups, unbalanced } = group;
  const time = (given: EpochMs | null): string | null => mapOptional(given, (at) => sinceText(at, now));
  return [
    ['Decided size', mapOptional(increase, ({ from, to }) => `${from} → ${to}`)],
    ['Not carried out', unlessEmpty(pending.join('; '))],
    [
      'Awaited',
      mapOptional(
        request,
        ({ increase: nodes, since, expectedBy }) =>
          `${counted(nodes, 'node')} of ${sinceText(since, now)}, by ${untilText(expectedBy, now)}`,
      ),
    ],
    ['Last scale-up', time(lastScaleUp)],
    ['Last removal', time(lastScaleDown)],
    ['Last failed removal', time(lastScaleDownFailure)],
    ['Removed after', mapOptional(unneededTime, learnedText)],
    ['Similar groups', unlessEmpty(firstNames(similarGroups, 10))],
    ['Not balanced with', unlessEmpty(unbalanced.map((one) => `${one.group} (${one.reason})`).join('; '))],
  ];
}
