import { lastItem } from '@outrigger/core/model/values/existing.ts';
import { mapOptional, textIf } from '@outrigger/core/model/values/optional.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { length, shortName } from '../../terminal/text.ts';
import type { LoadEntry } from '@outrigger/simulation/recording/recording.ts';

/** A step of the load, as a line of the story: `Deployment web: 12 pods of 500m CPU`. */
export function loadText(entry: LoadEntry): string {
  const { step, subject, count, before, runsFor } = entry;
  const name = shortName(subject);
  switch (step) {
    case 'deploy':
      return `Deployment ${name}: ${counted(count, 'pod')}${requestsText(entry)}${constraintsText(entry)}`;
    case 'job':
      return `Job ${name}: ${counted(count, 'pod')}${requestsText(entry)}, each runs for ${length(runsFor ?? 0)}${constraintsText(entry)}`;
    case 'scale':
      return `Deployment ${name} is scaled from ${before} to ${counted(count, 'pod')}`;
    case 'delete':
      return `${name} is deleted`;
    case 'capacity':
      return `the cloud now has capacity for ${counted(count, 'instance')} of ${subject}`;
    case 'interruption':
      return `the cloud takes back ${counted(count, 'instance')} of ${subject}`;
  }
}

function requestsText({ requests }: LoadEntry): string {
  const each = Object.entries(requests).map(([resource, amount]) => `${amount} ${resource.replace(/^cpu$/, 'CPU')}`);
  return textIf(each.length > 0, ` of ${each.join(', ')}`);
}

function constraintsText({ minAvailable, annotations }: LoadEntry): string {
  return [
    mapOptional(minAvailable, (pods) => `; minAvailable: ${pods}`) ?? '',
    ...Object.entries(annotations).map(([key, value]) => `; ${lastItem(key.split('/'))}: "${value}"`),
  ].join('');
}
