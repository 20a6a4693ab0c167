import type { Decision, HeadroomReport } from '../model/decision.ts';
import type { BufferStatus, CapacityBuffer } from '../model/cluster/capacity-buffer.ts';
import { conditionOf, type StatusCondition } from '../model/cluster/status-condition.ts';
import type { Scenario } from '../model/scenario.ts';
import type { EpochMs } from '../model/values/time.ts';
import { clippedList } from '../model/values/clip.ts';
import { mapOptional } from '../model/values/optional.ts';
import { inTurns } from '../model/values/fair-shares.ts';
import { headroomText } from '../words/headroom.ts';
import { ownerText } from './held.ts';

/**
 * Maximum number of statuses of a kind that one evaluation writes, of the namespaces in turns. The next evaluations find the same, and
 * write the others.
 */
export const MOST_STATUSES = 50;

/** Leaves room for the rest of the message. */
const LONGEST_NAMES = 1_000;

type Condition = Omit<StatusCondition, 'since'>;

/**
 * The statuses that differ from the stored ones. Conditions and reasons are Cluster Autoscaler's
 * (`capacitybuffer/common`): `ReadyForProvisioning` says whether the number and kind of the pods are known,
 * `LimitedByQuotas` whether quotas allow the buffer fewer pods than it asks for, and `Provisioning` whether the pods
 * count; here it is false, with the reasons, while some of the pods have no place.
 *
 * Buffers that the decision does not mention are left alone: the decision is of scale-down, or the buffers are new.
 */
export function bufferStatuses(
  { objects, now }: Pick<Scenario, 'objects' | 'now'>,
  { scaleUp: { headroom = [] } }: Pick<Decision, 'scaleUp'>,
): readonly BufferStatus[] {
  const reports = new Map(headroom.map((report) => [ownerText(report), report]));
  const statuses: BufferStatus[] = [];
  for (const buffer of objects.capacityBuffers) {
    const { namespace, name, strategy, podTemplate, generation } = buffer;
    const report = reports.get(ownerText({ source: 'CapacityBuffer', name: `${namespace}/${name}` }));
    const conditions = mapOptional(report, conditionsOf) ?? [];
    if (report !== undefined && !isSaid(buffer, report.wanted, conditions)) {
      statuses.push({
        namespace,
        name,
        replicas: report.wanted,
        provisioningStrategy: strategy,
        podTemplate,
        conditions: conditions.map((condition) => ({
          ...condition,
          since: sinceOf(condition, buffer, now),
          observedGeneration: generation,
        })),
      });
    }
  }
  return inTurns(statuses, ({ namespace }) => namespace).slice(0, MOST_STATUSES);
}

function conditionsOf(report: HeadroomReport): readonly Condition[] {
  const { wanted, fits, triggered, limit, problem } = report;
  if (wanted === 0 && problem !== undefined) {
    return [
      { type: 'ReadyForProvisioning', status: 'False', reason: 'error', message: problem },
      { type: 'Provisioning', status: 'False', reason: 'NotReadyForProvisioning', message: '' },
    ];
  }
  const placed = fits + triggered >= wanted;
  return [
    { type: 'ReadyForProvisioning', status: 'True', reason: 'AttributesSetSuccessfully', message: problem ?? 'ready' },
    limitCondition(limit),
    placed
      ? { type: 'Provisioning', status: 'True', reason: 'FakePodsInjected', message: '' }
      : { type: 'Provisioning', status: 'False', reason: 'NotTriggerScaleUp', message: headroomText(report) },
  ];
}

function limitCondition(limit: HeadroomReport['limit']): Condition {
  const about = { type: 'LimitedByQuotas', reason: 'ResourceQuotasAllocated' };
  if (limit === undefined) {
    return { ...about, status: 'False', message: '' };
  }
  const { from, to, quotas } = limit;
  const message = `Buffer replicas limited from ${from} to ${to} due to quotas: ${clippedList(quotas, LONGEST_NAMES)}`;
  return { ...about, status: 'True', message };
}

/** A condition of the same status has had it since the same time. */
const sinceOf = ({ type, status }: Condition, buffer: CapacityBuffer, now: EpochMs): EpochMs => {
  const before = conditionOf(buffer, type);
  return before?.status === status ? (before.since ?? now) : now;
};

const isSaid = (buffer: CapacityBuffer, replicas: number, wanted: readonly Condition[]): boolean =>
  buffer.statusReplicas === replicas &&
  wanted.every(({ type, status, reason, message }) => {
    const there = conditionOf(buffer, type);
    return there?.status === status && there.reason === reason && there.message === message;
  });
