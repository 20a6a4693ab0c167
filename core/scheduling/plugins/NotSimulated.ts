import { type KindFilter, type Plugin, rejection, type Rejection, unlimited } from '../plugin.ts';

const CLAIMS = rejection(
  'NotSimulated',
  'node(s) were not simulated: dynamic resource allocation (spec.resourceClaims)',
);
const GANG = rejection('NotSimulated', 'node(s) were not simulated: gang scheduling (spec.workloadRef)');

const CLOSED = rejection('NotSimulated', 'node(s) were not simulated: something on them cannot be read');

/**
 * Nodes that are closed, since something on them cannot be read, and pods whose place depends on something that is not simulated. It comes last, so that a node which another filter
 * rejects for a reason of its own says that one.
 */
export const notSimulated: Plugin = {
  name: 'NotSimulated',
  prepare: ({ objects }) => {
    const closed = new Set(objects.closedNodes.map(({ node }) => node));
    const unlessClosed: KindFilter = { node: ({ name }) => (closed.has(name) ? CLOSED : null), room: unlimited };
    return ({ spec }) => {
      const no: Rejection | null = spec.resourceClaims.length > 0 ? CLAIMS : spec.workload === null ? null : GANG;
      if (no !== null) {
        return { node: () => no, room: unlimited };
      }
      return closed.size === 0 ? null : unlessClosed;
    };
  },
};
