import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { hash } from 'node:crypto';
import { stringify } from 'yaml';
import * as z from 'zod';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import type { AutoscalerStatus } from '@outrigger/core/model/cluster/autoscaler-status.ts';
import { addTime, type EpochMs, epochMs, minutes } from '@outrigger/core/model/values/time.ts';
import type { ClusterWriter } from '@outrigger/core/ports/cluster.ts';
import type { Pause } from '@outrigger/core/model/pause.ts';
import { PAUSE_KEY, parsePause } from '../schema/pause.ts';
import type { HourlyWarn } from '../node-groups/warnings.ts';
import { parseStatusTimes, type StatusTimes } from '../schema/autoscaler-status.ts';
import { applyObject, readObject } from './apply.ts';
import { isRefusal } from './client/api-error.ts';
import { MANAGED_BY } from './manifests/object.ts';
import type { Transport } from './client/transport.ts';

/** When Cluster Autoscaler has written its status: `clusterstate/utils/status.go`. */
export const LAST_UPDATED = 'cluster-autoscaler.kubernetes.io/last-updated';
/** The same time, of Outrigger: where the two differ, another autoscaler has written since. */
export const OUTRIGGER_UPDATED = 'outrigger.dev/status-updated';
/** Digest of the status without its times. */
const DIGEST = 'outrigger.dev/status-digest';

/** A Cluster Autoscaler writes every ten seconds: one that has not for so long does not live. */
const LIVING = minutes(2);
/** After a failure, and where another autoscaler writes, the status is left alone for so long. */
const PAUSE = minutes(5);

/** The place of the status. */
export interface StatusPlace {
  readonly namespace: string;
  readonly name: string;
}

/** The ConfigMap as an object that events are about. */
export interface StatusObject extends StatusPlace {
  readonly uid: string;
}

export interface StatusWriter extends Pick<ClusterWriter, 'writeStatus'> {
  /** `null` where there is none, or none is written. Remembered for as long as this process has written or read it. */
  readonly object: (signal?: AbortSignal) => Promise<StatusObject | null>;
}

export interface StatusWriterOptions {
  readonly now: () => EpochMs;
  /** Called when the status, or an event, could not be written. */
  readonly warn: (message: string) => void;
}

/**
 * Writes the status ConfigMap. The ConfigMap is read each time, for other processes write it, too; it is written when
 * the status differs, and not while another autoscaler writes it.
 *
 * @param place `null`: no status is written
 */
export function createStatusWriter(
  transport: Transport,
  place: StatusPlace | null,
  { now, warn }: StatusWriterOptions,
): StatusWriter {
  let pausedUntil = epochMs(0);
  let known: StatusObject | null = null;

  async function read(at: StatusPlace, signal: AbortSignal | undefined): Promise<StoredConfigMap | null> {
    const found = parsed(await readObject(transport, skeleton(at), signal));
    known = mapOptional(found, ({ metadata }) => ({ ...at, uid: metadata.uid }));
    return found;
  }

  async function write(at: StatusPlace, status: AutoscalerStatus, signal: AbortSignal | undefined): Promise<void> {
    const found = await read(at, signal);
    const time = now();
    const digest = hash('sha256', JSON.stringify(status));
    if (found !== null && isOwn(found) && found.metadata.annotations[DIGEST] === digest) {
      return;
    }
    if (found !== null && !isOwn(found) && isFresh(found, time)) {
      pausedUntil = addTime(time, PAUSE);
      warn(`Another autoscaler writes the ConfigMap ${at.namespace}/${at.name}: the status is not written`);
      return;
    }
    await applyObject(transport, configMap(at, status, { digest, time, before: found?.data['status'] ?? '' }), signal);
    if (found === null) {
      await read(at, signal);
    }
  }

  return {
    object: async (signal) => {
      if (known === null && place !== null) {
        await read(place, signal);
      }
      return known;
    },

    writeStatus: async (status, signal) => {
      if (place === null || now() < pausedUntil) {
        return;
      }
      try {
        await write(place, status, signal);
      } catch (error) {
        signal?.throwIfAborted();
        pausedUntil = addTime(now(), PAUSE);
        warn(`The status could not be written: ${messageOf(error)}`);
      }
    },
  };
}

/**
 * Reads the pause that an annotation of the ConfigMap asks for; `null`: none, or there is no ConfigMap. What is malformed, or may
 * not be read, pauses nothing, and is told to `warn`.
 */
export async function readStatusPause(
  transport: Transport,
  place: StatusPlace,
  warn: HourlyWarn,
  signal?: AbortSignal,
): Promise<Pause | null> {
  const title = `ConfigMap ${place.namespace}/${place.name}`;
  try {
    const found = parsed(await readObject(transport, skeleton(place), signal));
    const text = found?.metadata.annotations[PAUSE_KEY];
    const pause = parsePause(text, 'annotation', { group: null, source: 'ConfigMap' });
    if (pause.ok) {
      return pause.value;
    }
    warn('malformed', `${title}: ${pause.error}; the cluster is not paused; correct it`);
  } catch (error) {
    if (!isRefusal(error, 403)) {
      throw error;
    }
    warn('refused', `The ${title} may not be read, and its annotation ${PAUSE_KEY} pauses nothing`);
  }
  return null;
}

const StoredConfigMap = z.object({
  metadata: z.object({ uid: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
  data: z.record(z.string(), z.string()).default({}),
});
type StoredConfigMap = z.infer<typeof StoredConfigMap>;

const parsed = (raw: unknown): StoredConfigMap | null => StoredConfigMap.nullable().parse(raw);

const isOwn = ({ metadata: { annotations } }: StoredConfigMap): boolean =>
  annotations[LAST_UPDATED] !== undefined && annotations[LAST_UPDATED] === annotations[OUTRIGGER_UPDATED];

/** The time as Go prints it, which JavaScript's parser does not take as it is. */
const isFresh = ({ metadata: { annotations } }: StoredConfigMap, at: EpochMs): boolean => {
  const [day, time] = (annotations[LAST_UPDATED] ?? '').split(' ');
  return at - Date.parse(`${day}T${time?.slice(0, 12)}Z`) < LIVING;
};

const skeleton = ({ namespace, name }: StatusPlace) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, labels: MANAGED_BY },
});

function configMap(
  place: StatusPlace,
  status: AutoscalerStatus,
  { digest, time, before }: { readonly digest: string; readonly time: EpochMs; readonly before: string },
) {
  const iso = new Date(time).toISOString();
  const updated = `${iso.slice(0, 10)} ${iso.slice(11, 23)} +0000 UTC`;
  const { metadata, ...object } = skeleton(place);
  return {
    ...object,
    metadata: {
      ...metadata,
      annotations: { [LAST_UPDATED]: updated, [OUTRIGGER_UPDATED]: updated, [DIGEST]: digest },
    },
    data: {
      status: stringify(
        { time: updated, ...withTimes(status, parseStatusTimes(before), iso) },
        { aliasDuplicateObjects: false, lineWidth: 0 },
      ),
    },
  };
}

/** A condition that is as it was has been so since then. */
function withTimes(
  { autoscalerStatus, clusterWide, nodeGroups }: AutoscalerStatus,
  before: StatusTimes | null,
  time: string,
) {
  const timed = <C extends { readonly status: string }>(condition: C, was: TimedHealth | undefined) => ({
    ...condition,
    lastProbeTime: time,
    lastTransitionTime: was?.status === condition.status ? was.lastTransitionTime : time,
  });
  const groupsBefore = new Map(before?.nodeGroups.map((group) => [group.name, group]));
  const all = <
    C extends Pick<AutoscalerStatus['clusterWide'], 'health' | 'scaleDown'> & {
      readonly scaleUp: { readonly status: string };
    },
  >(
    conditions: C,
    was: StatusTimes['clusterWide'] | undefined,
  ) => ({
    ...conditions,
    health: timed(conditions.health, was?.health),
    scaleUp: timed(conditions.scaleUp, was?.scaleUp),
    scaleDown: timed(conditions.scaleDown, was?.scaleDown),
  });
  return {
    autoscalerStatus,
    clusterWide: all(clusterWide, before?.clusterWide),
    nodeGroups: nodeGroups.map((group) => all(group, groupsBefore.get(group.name))),
  };
}

type TimedHealth = StatusTimes['clusterWide']['health'];
