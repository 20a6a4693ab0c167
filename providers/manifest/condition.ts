import { formatTime } from '@outrigger/core/model/values/time.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { StatusCondition } from '@outrigger/core/model/cluster/status-condition.ts';
import { type Manifest, type SectionReader, itemsReader, manifest, stringIn, timeIn } from './fields.ts';

const readCondition: SectionReader<StatusCondition> = (from) => ({
  type: stringIn(from, 'type'),
  status: stringIn(from, 'status'),
  reason: stringIn(from, 'reason'),
  message: stringIn(from, 'message'),
  since: timeIn(from, 'lastTransitionTime'),
});

/** Reads the conditions of a status. */
export const conditionsIn = itemsReader(readCondition);

export const writeCondition = ({ type, status, reason, message, since }: StatusCondition): Manifest =>
  manifest({ type, status, reason, message, lastTransitionTime: mapOptional(since, formatTime) });
