import { groupOption } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import type { GroupName } from '../model/values/names.ts';

/** The groups to whose nodes pods are nominated: none where the option is off for the cluster, with which rights and webhook come. */
export const groupsThatNominate = ({
  nodeGroups,
  options,
}: Pick<Scenario, 'nodeGroups' | 'options'>): ReadonlySet<GroupName> =>
  new Set(
    options.plannedPlacement
      ? nodeGroups.flatMap((group) => (groupOption(options, group, 'plannedPlacement') ? group.name : []))
      : [],
  );
