import { knownGroups } from '@outrigger/core/explanation/group.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { explainPause, type PauseExplanation } from '@outrigger/core/explanation/pauses.ts';
import { inScopeOrder, isActive, type Pause, type PausedPart } from '@outrigger/core/model/pause.ts';
import { type GroupName, groupName } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { printableData } from '@outrigger/core/model/values/printable.ts';
import { err, ok } from '@outrigger/core/model/values/result.ts';
import { addTime, type DurationMs } from '@outrigger/core/model/values/time.ts';
import { PAUSED_PARTS_WORDS, pauseText } from '@outrigger/core/words/pause.ts';
import { loadClusterRecord } from '@outrigger/providers/cluster-record.ts';
import { nearestNames } from '../explain/subjects.ts';
import type { AnswerResult, ClusterStores } from '../explain/stored.ts';
import { prose } from '../explain/show/page.ts';
import type { Style } from '../terminal/text.ts';

export interface ResumeFlags {
  readonly group?: string;
}

export interface PauseFlags extends ResumeFlags {
  readonly scaleUp?: true;
  readonly scaleDown?: true;
  readonly all?: true;
  readonly for?: DurationMs;
  readonly cancelDrains?: true;
}

/** Stores a pause, and tells what is paused. The cluster and its node groups are not asked: one that is out of reach is paused as well. */
export async function pauseCluster(flags: PauseFlags, stored: ClusterStores): Promise<AnswerResult> {
  const { cluster, store, now, signal } = stored;
  const unknown = await mapOptional(flags.group, (group) => unknownGroup(group, stored));
  if (unknown) {
    return err(unknown);
  }
  const pause: Pause = {
    part: partOf(flags),
    group: groupIn(flags),
    until: mapOptional(flags.for, (time) => addTime(now, time)) ?? null,
    cancelDrains: flags.cancelDrains === true,
    source: 'Command',
  };
  await store.addPause(cluster, pause, signal);
  const told = [PAUSED_PARTS_WORDS[pause.part].sentence, drainsText(pause)];
  return await pausesNow(`Paused: ${pauseText(pause)}.`, told, stored);
}

/** Takes the pauses back that the command has stored, and tells what is paused still. */
export async function resumeCluster(flags: ResumeFlags, stored: ClusterStores): Promise<AnswerResult> {
  const { cluster, store, signal } = stored;
  const group = groupIn(flags);
  const pauses = await store.removePauses(cluster, group, signal);
  const where = mapOptional(group, (name) => ` of node group ${name}`) ?? '';
  if (pauses === 0) {
    return await pausesNow(`Nothing${where} was paused by outrigger pause.`, [], stored);
  }
  return await pausesNow(
    `Resumed: ${counted(pauses, 'pause')}${where} taken back.`,
    ['The next evaluation decides again, within a minute. Unneeded nodes are timed from then on.'],
    stored,
  );
}

const groupIn = ({ group }: ResumeFlags): GroupName | null => mapOptional(group, groupName) ?? null;

function partOf({ scaleUp, scaleDown }: PauseFlags): PausedPart {
  if (scaleUp === scaleDown) {
    return 'All';
  }
  return scaleUp === true ? 'ScaleUp' : 'ScaleDown';
}

function drainsText({ part, cancelDrains }: Pause): string {
  if (part === 'ScaleUp') {
    return 'Drains go on.';
  }
  if (cancelDrains) {
    return 'Drains stop before their next eviction and are rolled back: their nodes take pods again.';
  }
  return 'Drains stop before their next eviction and go on when they are resumed, within the time that a drain may take. Their nodes keep their taints until then; --cancel-drains rolls the drains back.';
}

/** Why nothing is paused: a mistyped name would stop nothing. `null`: the group is known, or none is known yet. */
async function unknownGroup(group: string, stored: ClusterStores): Promise<readonly string[] | null> {
  const { cluster, options, now, signal } = stored;
  const record = await loadClusterRecord(stored, { cluster, options, now }, signal);
  const known = mapOptional(record, knownGroups) ?? [];
  if (known.length === 0 || known.some((one) => one === group)) {
    return null;
  }
  const near = nearestNames(group, known);
  return [
    `error: Nothing is paused: the last decision has no node group ${group}`,
    near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Node groups: ${known.join(', ')}`,
  ];
}

/** The pauses now, after the change. */
async function pausesNow(
  done: string,
  details: readonly string[],
  { cluster, store, now, signal }: ClusterStores,
): Promise<AnswerResult> {
  const active = (await store.pauses(cluster, signal)).filter((pause) => isActive(pause, now));
  const pauses = inScopeOrder(active).map(explainPause);
  const texts = (printableData(pauses) as readonly PauseExplanation[]).map(({ text }) => `  ${text}`);
  const rest = texts.length === 0 ? ['Nothing is paused now.'] : ['In force now:', ...texts];
  const text = ({ colors, width }: Style): string => {
    const paragraphs = details.flatMap((line) => prose(line, { colors, width }));
    return `${[colors.bold(done), ...paragraphs, '', ...rest].join('\n')}\n`;
  };
  return ok({ kind: 'Pauses', explanation: { cluster, at: now, pauses }, text });
}
