import { type Plugin, rejection, type Rejection, unlimited } from '../plugin.ts';

const CLAIMS = rejection(
  'NotSimulated',
  'node(s) were not simulated: dynamic resource allocation (spec.resourceClaims)',
);
const GANG = rejection('NotSimulated', 'node(s) were not simulated: gang scheduling (spec.workloadRef)');

/**
 * Pods whose place depends on something that is not simulated. It comes last, so that a node which another filter
 * rejects for a reason of its own says that one.
 */
export const notSimulated: Plugin = {
  name: 'NotSimulated',
  prepare:
    () =>
    ({ spec }) => {
      const no: Rejection | null = spec.resourceClaims.length > 0 ? CLAIMS : spec.workload === null ? null : GANG;
      return no === null ? null : { node: () => no, room: unlimited };
    },
};
