import { firstNames } from '@outrigger/core/model/values/clip.ts';
import { explainGroup, type GroupExplanation } from '@outrigger/core/explanation/group.ts';
import { explainNode, type NodeExplanation } from '@outrigger/core/explanation/node.ts';
import { explainPod, type PodExplanation } from '@outrigger/core/explanation/pod.ts';
import {
  drainLines,
  evictionText,
  growthText,
  sizeText,
  staysText,
  troubleText,
} from '@outrigger/core/explanation/sentences.ts';
import { headroomSection, replacementsSection } from '@outrigger/core/explanation/status-rows.ts';
import type { ClusterRecord } from '@outrigger/core/explanation/cluster-record.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { groupName, nodeName, type PodKey } from '@outrigger/core/model/values/names.ts';
import { printableData } from '@outrigger/core/model/values/printable.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { disruptionText } from '@outrigger/core/words/disruption.ts';
import { groupedReasonText, nearestText, unmetRequirementsText } from '@outrigger/core/words/pod-reasons.ts';
import { sinceText, untilText } from '@outrigger/core/words/when.ts';
import type { WidgetSubject } from '../../schema/widget-call.ts';
import { type MarkupContent, markup } from '../markup.ts';
import { rowTable } from './overview.ts';
import {
  factTable,
  lines,
  type Links,
  nameLink,
  nameLinks,
  note,
  section,
  tableSection,
  withDetails,
} from './elements.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

const MOST_NAMES = 10;

/** The page about a pod, a node or a node group; `null` where nothing is known about it. */
export function aboutPage(
  remembered: ClusterRecord,
  subject: WidgetSubject,
  name: string,
  links: Links,
): MarkupContent | null {
  const { now } = remembered;
  const safe = <T>(explanation: T): T => printableData(explanation) as T;
  switch (subject) {
    case 'pod':
      return mapOptional(explainPod(remembered, name as PodKey), (pod) => aboutPod(safe(pod), now, links));
    case 'node':
      return mapOptional(explainNode(remembered, nodeName(name)), (node) => aboutNode(safe(node), now, links));
    case 'group':
      return mapOptional(explainGroup(remembered, groupName(name)), (group) => aboutGroup(safe(group), now, links));
  }
}

const timeOf = (at: EpochMs | null, now: EpochMs): string | null => mapOptional(at, (time) => sinceText(time, now));

function aboutPod(explanation: PodExplanation, now: EpochMs, links: Links): MarkupContent {
  const { pod, scaleUp, keeps, movesFrom, evictions } = explanation;
  return [
    factTable([
      ['Pod', pod],
      ['Scale-up', mapOptional(scaleUp, () => timeOf(explanation.decidedAt, now))],
      ['Scale-down', keeps.length + movesFrom.length === 0 ? null : timeOf(explanation.scaleDownDecidedAt, now)],
      ['Outcome', mapOptional(scaleUp, ({ outcome, meaning }) => `${outcome}: ${meaning}`)],
      [
        'Node group',
        scaleUp === null || scaleUp.group === null
          ? null
          : [nameLink(links, 'group', scaleUp.group), growthText(scaleUp)],
      ],
    ]),
    tableSection(
      TITLES.reasons,
      (scaleUp?.reasons ?? []).map((one) => [
        groupedReasonText(one),
        one.groups.length > 1 ? nameLinks(links, 'group', one.groups, MOST_NAMES) : null,
      ]),
    ),
    tableSection(
      TITLES.unmet,
      (scaleUp?.lacking ?? []).map((one) => [firstNames(one.groups), unmetRequirementsText(one)]),
    ),
    note(mapOptional(scaleUp?.nearest, nearestText)),
    scaleUp?.outcome === 'Unschedulable' ? note(scaleUp.advice) : null,
    tableSection(
      TITLES.keepsNode,
      keeps.map(({ node, why, advice }) => [nameLink(links, 'node', node), [why, note(advice)]]),
    ),
    tableSection(
      TITLES.moves,
      movesFrom.map(({ node, group }) => [nameLink(links, 'node', node), nameLink(links, 'group', group)]),
    ),
    tableSection(
      TITLES.evictions,
      evictions.map((eviction) => [nameLink(links, 'node', eviction.node), evictionText(eviction, now)]),
    ),
  ];
}

function movedPods(pods: readonly PodKey[], links: Links): MarkupContent {
  if (pods.length === 0) {
    return 'No pod of it needs another place.';
  }
  return [`${counted(pods.length, 'pod')} must move: `, nameLinks(links, 'pod', pods, MOST_NAMES)];
}

function aboutNode(explanation: NodeExplanation, now: EpochMs, links: Links): MarkupContent {
  const { node, group, decidedAt, message, unneededSince, removal, unremovable, drain, disruption } = explanation;
  const podLine = mapOptional(unremovable?.pod, (pod) => markup`<div>${nameLink(links, 'pod', pod)}</div>`) ?? null;
  return [
    factTable([
      ['Node', node],
      ['Node group', group === null ? 'none that is known' : nameLink(links, 'group', group)],
      ['Scale-down', timeOf(decidedAt, now) ?? 'not evaluated yet'],
      ['Unneeded since', timeOf(unneededSince, now)],
      ['Held back', message],
      ['Checked again', mapOptional(unremovable?.until, (until) => untilText(until, now))],
    ]),
    section(
      TITLES.whyKept,
      mapOptional(unremovable, (one) => [
        markup`<div>${staysText(one)}</div>`,
        podLine,
        note([one.meaning, one.advice].filter((part) => part !== null).join(' ')),
      ]),
    ),
    section(
      'It is removed',
      mapOptional(removal, ({ pods }) => movedPods(pods, links)),
    ),
    section(
      TITLES.replacement,
      mapOptional(disruption, (one) => withDetails(disruptionText(one), [one.meaning, one.advice])),
    ),
    section(
      TITLES.drain,
      mapOptional(drain, (one) => lines(drainLines(one, now))),
    ),
  ];
}

function aboutGroup(group: GroupExplanation, now: EpochMs, links: Links): MarkupContent {
  const { min, max, nodes, upcoming, skipped, backoff, pending, members, template, similarGroups } = group;
  return [
    factTable([
      ['Node group', group.group],
      ['Decided', timeOf(group.decidedAt, now)],
      ['Size', `${sizeText(group)}${min === null || max === null ? '' : `, of ${min} to ${max}`}`],
      ['Nodes', `${nodes.ready} ready, ${upcoming} upcoming`],
      ['Instance type', template?.instanceType ?? null],
      ['Not carried out', pending.join('; ') || null],
      ['Last scale-up', timeOf(group.lastScaleUp, now)],
      ['Last removal', timeOf(group.lastScaleDown, now)],
      ['Last failed removal', timeOf(group.lastScaleDownFailure, now)],
      ['Similar groups', nameLinks(links, 'group', similarGroups, MOST_NAMES)],
      ['Members', nameLinks(links, 'node', members ?? [], MOST_NAMES)],
    ]),
    section(
      TITLES.cannotGrow,
      skipped === null && backoff === null
        ? null
        : withDetails(troubleText(group, now), [skipped?.meaning, skipped?.advice, backoff?.meaning]),
    ),
    ...[headroomSection(group.headroom), replacementsSection(group.disruptions)].map(({ name, rows }) =>
      section(name, rowTable(rows, links)),
    ),
  ];
}
