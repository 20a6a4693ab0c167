import { inScopeOrder, isActive, type Pause } from '../model/pause.ts';
import { pauseText } from '../words/pause.ts';
import { latestDecision, type ClusterRecord } from './cluster-record.ts';

/** A pause that is in force, in words. */
export interface PauseExplanation extends Pause {
  readonly text: string;
}

/** A pause in words. */
export const explainPause = (pause: Pause): PauseExplanation => ({ ...pause, text: pauseText(pause) });

/** The pauses in force: those in the table, and what the latest decision has found on the cluster and its node groups. */
export function knownPauses(record: ClusterRecord): readonly PauseExplanation[] {
  const { pauses = [], now } = record;
  const found = (latestDecision(record)?.pauses ?? []).filter(({ source }) => source !== 'Command');
  return inScopeOrder([...pauses, ...found])
    .filter((pause) => isActive(pause, now))
    .map(explainPause);
}
