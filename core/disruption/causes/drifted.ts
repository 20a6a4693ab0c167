import { groupOption } from '../../model/node-group.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { DISRUPTION_MESSAGES } from '../../words/disruption.ts';
import type { Cause } from './cause.ts';

/** The instance is not as its group starts instances now. */
export const DRIFTED: Cause = {
  reason: 'Drifted',
  isEnabled: (group, { options }) => groupOption(options, group, 'driftReplacement') === 'replace',
  find: ({ name }, { instances }) => {
    const instance = instances.find(({ node }) => node === name);
    return mapOptional(instance?.drifted, (how) => DISRUPTION_MESSAGES.drifted(how)) ?? null;
  },
};
