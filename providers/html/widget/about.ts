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
import { factTable, lines, type Links, nameLink, nameLinks, note, section, tableElement } from './elements.ts';

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
    case 'pod': {
      const pod = explainPod(remembered, name as PodKey);
      return pod === null ? null : aboutPod(safe(pod), now, links);
    }
    case 'node': {
      const node = explainNode(remembered, nodeName(name));
      return node === null ? null : aboutNode(safe(node), now, links);
    }
    case 'group': {
      const group = explainGroup(remembered, groupName(name));
      return group === null ? null : aboutGroup(safe(group), now, links);
    }
  }
}

const timeOf = (at: EpochMs | null, now: EpochMs): string | null => (at === null ? null : sinceText(at, now));

function aboutPod(explanation: PodExplanation, now: EpochMs, links: Links): MarkupContent {
  const { pod, scaleUp, keeps, movesFrom, evictions } = explanation;
  return [
    factTable([
      ['Pod', pod],
      ['Scale-up', scaleUp === null ? null : timeOf(explanation.decidedAt, now)],
      ['Scale-down', keeps.length + movesFrom.length === 0 ? null : timeOf(explanation.scaleDownDecidedAt, now)],
      ['Outcome', scaleUp === null ? null : `${scaleUp.outcome}: ${scaleUp.meaning}`],
      [
        'Node group',
        scaleUp === null || scaleUp.group === null
          ? null
          : [nameLink(links, 'group', scaleUp.group), growthText(scaleUp)],
      ],
    ]),
    section(
      'Reasons',
      tableElement(
        [],
        (scaleUp?.reasons ?? []).map((one) => [
          groupedReasonText(one),
          one.groups.length > 1 ? nameLinks(links, 'group', one.groups, MOST_NAMES) : null,
        ]),
      ),
    ),
    section(
      'What a new node lacks',
      tableElement(
        [],
        (scaleUp?.lacking ?? []).map((one) => [firstNames(one.groups), unmetRequirementsText(one)]),
      ),
    ),
    note(scaleUp === null || scaleUp.nearest === null ? null : nearestText(scaleUp.nearest)),
    scaleUp?.outcome === 'Unschedulable' ? note(scaleUp.advice) : null,
    section(
      'Keeps its node',
      tableElement(
        [],
        keeps.map(({ node, why, advice }) => [nameLink(links, 'node', node), [why, note(advice)]]),
      ),
    ),
    section(
      'Moves, as its node is removed',
      tableElement(
        [],
        movesFrom.map(({ node, group }) => [nameLink(links, 'node', node), nameLink(links, 'group', group)]),
      ),
    ),
    section(
      'Evictions',
      tableElement(
        [],
        evictions.map((eviction) => [nameLink(links, 'node', eviction.node), evictionText(eviction, now)]),
      ),
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
  const { node, group, decidedAt, message, unneededSince, removal, stays, drain, disruption } = explanation;
  const blockingPod = stays?.pod ?? null;
  const podLine = blockingPod === null ? null : markup`<div>${nameLink(links, 'pod', blockingPod)}</div>`;
  return [
    factTable([
      ['Node', node],
      ['Node group', group === null ? 'none that is known' : nameLink(links, 'group', group)],
      ['Scale-down', timeOf(decidedAt, now) ?? 'not evaluated yet'],
      ['Unneeded since', timeOf(unneededSince, now)],
      ['Held back', message],
      ['Checked again', stays === null || stays.until === null ? null : untilText(stays.until, now)],
    ]),
    section(
      'Why it stays, by the last decision',
      stays === null
        ? null
        : [
            markup`<div>${staysText(stays)}</div>`,
            podLine,
            note([stays.meaning, stays.advice].filter((part) => part !== null).join(' ')),
          ],
    ),
    section('It is removed', removal === null ? null : movedPods(removal.pods, links)),
    section(
      'Replacement',
      disruption === null
        ? null
        : [
            markup`<div>${disruptionText(disruption)}</div>`,
            note([disruption.meaning, disruption.advice].filter((part) => part !== null).join(' ')),
          ],
    ),
    section('Drain', drain === null ? null : lines(drainLines(drain, now))),
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
      ['Not carried out', pending.length === 0 ? null : pending.join('; ')],
      ['Last scale-up', timeOf(group.lastScaleUp, now)],
      ['Last removal', timeOf(group.lastScaleDown, now)],
      ['Last failed removal', timeOf(group.lastScaleDownFailure, now)],
      ['Similar groups', similarGroups.length === 0 ? null : nameLinks(links, 'group', similarGroups, MOST_NAMES)],
      ['Members', members === null || members.length === 0 ? null : nameLinks(links, 'node', members, MOST_NAMES)],
    ]),
    section(
      'Cannot grow now',
      skipped === null && backoff === null
        ? null
        : [
            markup`<div>${troubleText(group, now)}</div>`,
            note([skipped?.meaning, skipped?.advice, backoff?.meaning].filter((part) => part != null).join(' ')),
          ],
    ),
    ...[headroomSection(group.headroom), replacementsSection(group.disruptions)].map(({ name, rows }) =>
      section(name, rowTable(rows, links)),
    ),
  ];
}
