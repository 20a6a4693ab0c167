import { formatTime } from '@outrigger/core/model/values/time.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { StatusCondition } from '@outrigger/core/model/cluster/status-condition.ts';
import { itemsReader, type Manifest, manifest, readFields, stringIn, timeIn } from './fields.ts';
import type { Reader } from './invalid.ts';

const readCondition: Reader<StatusCondition> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  return {
    type: stringIn(fields, 'type', place, problems),
    status: stringIn(fields, 'status', place, problems),
    reason: stringIn(fields, 'reason', place, problems),
    message: stringIn(fields, 'message', place, problems),
    since: timeIn(fields, 'lastTransitionTime', place, problems),
  };
};

/** Reads the conditions of a status. */
export const conditionsIn = itemsReader(readCondition);

export const writeCondition = ({ type, status, reason, message, since }: StatusCondition): Manifest =>
  manifest({ type, status, reason, message, lastTransitionTime: mapOptional(since, formatTime) });
