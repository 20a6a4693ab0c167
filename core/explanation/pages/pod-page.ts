import { firstNames } from '../../model/values/clip.ts';
import { mapOptional } from '../../model/values/optional.ts';
import type { EpochMs } from '../../model/values/time.ts';
import { groupedReasonText, nearestText, unmetRequirementsText } from '../../words/pod-reasons.ts';
import { sinceText } from '../../words/when.ts';
import type { PodExplanation } from '../pod.ts';
import { evictionText, growthText } from '../sentences.ts';
import { TITLES } from '../titles.ts';
import { namedObjects, type SubjectPage, rowOf } from './page.ts';

/** Why a pod is pending, the nodes that it keeps, and the nodes from which it must move. */
export function podPage(explanation: PodExplanation, now: EpochMs): SubjectPage {
  const { pod, scaleUp, keeps, movesFrom, evictions } = explanation;
  const time = (at: EpochMs | null): string =>
    mapOptional(at, (given) => sinceText(given, now)) ?? 'at an unknown time';
  const isOfScaleDown = keeps.length + movesFrom.length > 0;
  return [
    {
      facts: [
        ['Pod', pod],
        ['Scale-up', mapOptional(scaleUp, () => time(explanation.decidedAt))],
        ['Scale-down', isOfScaleDown && time(explanation.scaleDownDecidedAt)],
      ],
    },
    ...waiting(scaleUp),
    {
      title: TITLES.keepsNode,
      rows: keeps.map(({ node, why, advice }) => rowOf(why, { names: [node], kind: 'node', details: advice })),
    },
    {
      title: TITLES.moves,
      rows: movesFrom.map(({ node, group }) => rowOf(`of node group ${group}`, { names: [node], kind: 'node' })),
    },
    {
      title: TITLES.evictions,
      rows: evictions.map((one) => rowOf(evictionText(one, now), { names: [one.node], kind: 'node' })),
    },
  ];
}

function waiting(scaleUp: PodExplanation['scaleUp']): SubjectPage {
  if (scaleUp === null) {
    return [];
  }
  const { outcome, meaning, advice, group, reasons, lacking, nearest } = scaleUp;
  return [
    { sentences: `${outcome}: ${meaning}` },
    { facts: [['Node group', mapOptional(group, (name) => namedObjects('group', [name], growthText(scaleUp)))]] },
    {
      title: TITLES.reasons,
      // The text about a single group contains the group's name.
      rows: reasons.map((one) =>
        rowOf(groupedReasonText(one), { details: one.groups.length > 1 && namedObjects('group', one.groups) }),
      ),
    },
    {
      title: TITLES.unmet,
      rows: lacking.map((one) => rowOf(unmetRequirementsText(one), { names: [firstNames(one.groups)] })),
    },
    { sentences: mapOptional(nearest, nearestText) },
    { sentences: outcome === 'Unschedulable' && advice },
  ];
}
