import type { V1Node } from '@kubernetes/client-node';
import { AWAITING_PODS_TAINT } from '../../../core/model/cluster/node.ts';
import { sampleOf } from '../../sample.ts';
import type { E2eCluster } from '../cluster.ts';
import type { Side } from '../servers/tripwire.ts';
import { REGISTERS_CLOSED } from './nominations.ts';

/** Three on a node, so that a release has nominations to be killed between. */
export const POD = { cpuMilli: 1200, memoryMib: 1024 };
export const PODS_PER_STEP = 9;
export const GROUPS = {
  name: 'm5',
  instanceType: 'm5.xlarge',
  zones: ['us-east-1a', 'us-east-1b'],
  max: 50,
  tags: REGISTERS_CLOSED,
};
export const BOOT_MS = 1_000;

const NOMINATION = /^PATCH \/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/status$/;
const OPENING = /^(?:PATCH|PUT) \/api\/v1\/nodes\/[^/]+$/;

interface ReleaseStep {
  readonly what: string;
  readonly at: RegExp;
  readonly nth: number;
  readonly side: Side;
}

const STEPS: readonly ReleaseStep[] = [
  { what: 'before the first nomination', at: NOMINATION, nth: 1, side: 'before' },
  { what: 'after the first nomination', at: NOMINATION, nth: 1, side: 'after' },
  { what: 'between nominations', at: NOMINATION, nth: 4, side: 'before' },
  { what: 'before a taint is taken off', at: OPENING, nth: 1, side: 'before' },
  { what: 'after a taint is taken off', at: OPENING, nth: 1, side: 'after' },
  { what: 'between two nodes', at: OPENING, nth: 2, side: 'before' },
];

/** The steps of a release at which the process is killed. */
export const RELEASE_STEPS = sampleOf('steps of a release', STEPS, 2);

const isClosed = ({ spec }: V1Node): boolean => spec?.taints?.some(({ key }) => key === AWAITING_PODS_TAINT) === true;

/** Nodes that await their pods, ready or not. */
export const closedNodes = async ({ kube }: E2eCluster): Promise<readonly V1Node[]> =>
  (await kube.list<V1Node>('/api/v1/nodes')).filter(isClosed);

export const untilAllOpen = async ({ kube }: E2eCluster): Promise<void> => {
  await kube.until<V1Node>('/api/v1/nodes', {
    what: 'the end of all taints that await pods',
    holds: (nodes) => !nodes.some(isClosed),
    describe: (nodes) => `${nodes.filter(isClosed).length} closed nodes`,
  });
};
