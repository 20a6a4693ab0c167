import { HOSTNAME_LABEL } from '../model/cluster/node.ts';
import type { Pod } from '../model/cluster/pod.ts';

export const isSpread = ({ spec }: Pick<Pod, 'spec'>): boolean =>
  spec.topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');

/** Is it spread over domains of more than one node? */
export const isSpreadWide = ({ spec }: Pick<Pod, 'spec'>): boolean =>
  spec.topologySpread.some(
    ({ topologyKey, whenUnsatisfiable }) => topologyKey !== HOSTNAME_LABEL && whenUnsatisfiable === 'DoNotSchedule',
  );

/** Is it spread over hosts alone? */
export const isSpreadOverHosts = (pod: Pick<Pod, 'spec'>): boolean => isSpread(pod) && !isSpreadWide(pod);
