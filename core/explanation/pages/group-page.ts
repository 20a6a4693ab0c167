import { counted } from '../../model/values/counted.ts';
import { mapOptional, presentItems, textIf } from '../../model/values/optional.ts';
import type { EpochMs } from '../../model/values/time.ts';
import { CLOUD_ACTION_WORDS } from '../../words/cloud-actions.ts';
import { noticeText, shortageText } from '../../words/notices.ts';
import { resizedByOthersText } from '../../words/resized-by-others.ts';
import { learnedText } from '../../words/unneeded-time.ts';
import { sinceText, untilText } from '../../words/when.ts';
import { zonalShiftText } from '../../words/zonal-shifts.ts';
import type { GroupExplanation } from '../group.ts';
import { sizeText } from '../sentences.ts';
import { TITLES } from '../titles.ts';
import { type FactRow, namedObjects, type SubjectPage, rowOf } from './page.ts';
import { headroomRows, replacementRows } from './status-rows.ts';

/** Sizes, template, backoff and the last changes of a node group. */
export function groupPage(group: GroupExplanation, now: EpochMs): SubjectPage {
  const { skipped, backoff, warnings, repairs } = group;
  return [
    { facts: [...sizes(group, now), ...changes(group, now)] },
    {
      title: TITLES.cannotGrow,
      rows: presentItems([skipped]).map(({ reason, why, meaning, advice }) =>
        rowOf(why, { names: [reason], details: presentItems([meaning, advice]).join(' ') }),
      ),
    },
    {
      title: TITLES.backoff,
      rows: presentItems([backoff]).map(({ class: failure, why, until, meaning }) =>
        rowOf(`${why}; until ${untilText(until, now)}`, { names: [failure], details: meaning }),
      ),
    },
    { title: TITLES.repairs, rows: repairs.map((one) => rowOf(one)) },
    { title: TITLES.headroom, rows: headroomRows(group.headroom) },
    { title: TITLES.budgets, rows: group.budgets.map((one) => rowOf(one)) },
    { title: TITLES.replacements, rows: replacementRows(group.disruptions) },
    {
      title: TITLES.notices,
      rows: group.notices.map((notice) =>
        rowOf(noticeText(notice), {
          names: [notice.node ?? notice.instance],
          kind: notice.node === null ? null : 'node',
        }),
      ),
    },
    { title: TITLES.shortages, rows: group.shortages.map((one) => rowOf(shortageText(one))) },
    { title: TITLES.zonalShifts, rows: group.zonalShifts.map((one) => rowOf(zonalShiftText(one, now))) },
    {
      title: TITLES.cloudActions,
      rows: warnings.map((one) => {
        const { sentence, advice } = CLOUD_ACTION_WORDS[one];
        return rowOf(presentItems([sentence, advice]).join(' '), { names: [one] });
      }),
    },
  ];
}

function sizes(group: GroupExplanation, now: EpochMs): readonly FactRow[] {
  const { decidedAt, min, max, incorrectSize, resizedByOthers, template, members } = group;
  return [
    ['Node group', group.group],
    ['Decided', mapOptional(decidedAt, (at) => sinceText(at, now))],
    ['Size', `${sizeText(group)}${textIf(min !== null && max !== null, `, of ${min} to ${max}`)}`],
    ['Nodes', nodesText(group)],
    [
      'Wrong size',
      mapOptional(
        incorrectSize,
        ({ current, expected, firstObserved }) =>
          `${current} instead of ${expected}, since ${sinceText(firstObserved, now)}`,
      ),
    ],
    ['Changed', mapOptional(resizedByOthers, resizedByOthersText)],
    ['Members', namedObjects('node', members ?? [])],
    ['Template', mapOptional(template, shapeText) ?? 'not known'],
  ];
}

const nodesText = ({ nodes, upcoming, healthy }: GroupExplanation): string =>
  presentItems([
    `${nodes.ready} ready`,
    upcoming > 0 && `${upcoming} upcoming`,
    nodes.unready > 0 && `${nodes.unready} not ready`,
    nodes.longUnregistered > 0 && `${counted(nodes.longUnregistered, 'instance')} without a node`,
    !healthy && 'unhealthy',
  ]).join(', ');

const shapeText = ({ instanceType, cpu, memory }: NonNullable<GroupExplanation['template']>): string =>
  presentItems([instanceType, `${cpu / 1_000} CPU`, `${gibibytes(memory)} GiB`]).join(', ');

const gibibytes = (bytes: number): number => Math.round((bytes / 1024 ** 3) * 10) / 10;

function changes(group: GroupExplanation, now: EpochMs): readonly FactRow[] {
  const { pending, request, lastScaleUp, lastScaleDown, lastScaleDownFailure, unneededTime } = group;
  const { similarGroups, unbalanced } = group;
  const time = (given: EpochMs | null): string | null => mapOptional(given, (at) => sinceText(at, now));
  return [
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
    ['Similar groups', namedObjects('group', similarGroups)],
    ['Not balanced with', unlessEmpty(unbalanced.map((one) => `${one.group} (${one.reason})`).join('; '))],
  ];
}

const unlessEmpty = (text: string): string | false => text !== '' && text;
