import { firstNames } from '@outrigger/core/model/values/clip.ts';
import type { PodExplanation } from '@outrigger/core/explanation/pod.ts';
import { evictionText, growthText } from '@outrigger/core/explanation/sentences.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { groupedReasonText, nearestText, unmetRequirementsText } from '@outrigger/core/words/pod-reasons.ts';
import { sinceText } from '@outrigger/core/words/when.ts';
import type { Style } from '../../terminal/text.ts';
import { type PageFact, facts, lists, page, prose, type PageSection, withAdvice } from './page.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/** Why a pod is pending, the nodes that it keeps, and the nodes from which it must move. */
export function tellPod(explanation: PodExplanation, now: EpochMs, style: Style): string {
  const { pod, scaleUp, keeps, movesFrom, evictions } = explanation;
  const time = (given: EpochMs | null): string | null => mapOptional(given, (at) => sinceText(at, now));
  const head: readonly PageFact[] = [
    ['Pod', pod],
    ['Scale-up', scaleUp !== null && (time(explanation.decidedAt) ?? 'at an unknown time')],
    ['Scale-down', keeps.length + movesFrom.length > 0 && time(explanation.scaleDownDecidedAt)],
  ];
  return page([
    facts(head, style),
    ...waiting(scaleUp, style),
    ...lists(style, [
      [TITLES.keepsNode, keeps.map(({ node, why, advice }) => [node, withAdvice(why, advice)])],
      [TITLES.moves, movesFrom.map(({ node, group }) => [node, `of node group ${group}`])],
      [TITLES.evictions, evictions.map((eviction) => [eviction.node, evictionText(eviction, now)])],
    ]),
  ]);
}

function waiting(scaleUp: PodExplanation['scaleUp'], style: Style): readonly PageSection[] {
  if (scaleUp === null) {
    return [];
  }
  const { outcome, meaning, advice, group, reasons, lacking, nearest } = scaleUp;
  return [
    prose(`${outcome}: ${meaning}`, style),
    facts([['Node group', mapOptional(group, (name) => `${name}${growthText(scaleUp)}`)]], style),
    ...lists(style, [
      [TITLES.reasons, reasons.map((one) => [withAdvice(groupedReasonText(one), namesOf(one.groups))])],
      [TITLES.unmet, lacking.map((one) => [firstNames(one.groups), unmetRequirementsText(one)])],
    ]),
    prose(mapOptional(nearest, nearestText), style),
    prose(outcome === 'Unschedulable' && advice, style),
  ];
}

/** The text about a single group contains the group's name. */
const namesOf = (groups: readonly string[]): string | null => (groups.length > 1 ? firstNames(groups, 10) : null);
