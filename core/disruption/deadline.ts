import { groupOption, type NodeGroup } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import { addTime, type EpochMs } from '../model/values/time.ts';

/** By then a new node of this group is ready, or it has failed. */
export const replacementDue = (group: NodeGroup, { options, now }: Pick<Scenario, 'options' | 'now'>): EpochMs =>
  addTime(
    addTime(now, groupOption(options, group, 'maxNodeProvisionTime')),
    groupOption(options, group, 'maxNodeStartupTime'),
  );
