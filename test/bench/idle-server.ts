/**
 * Lists an idle cluster as an API server does: as many nodes as the first argument says, with 30 running pods each, and two
 * ReplicaSets for each of as many Deployments, one of them an earlier revision.
 */
import { NO_OBJECTS } from '../../core/model/scenario.ts';
import { writeObjects } from '../../providers/manifest/objects.ts';
import { encodePod, type Json } from '../providers/kubernetes/protobuf/pod-encoder.ts';
import { message } from '../providers/kubernetes/wire-encoder.ts';
import { times } from '../scenario-builders.ts';
import { idleNodes, idlePods } from './idle-cluster.ts';
import { serveLists } from './list-server.ts';

const size = Number(process.argv[2]);
/** The size that pods have with their environment, managed fields and status. */
const BULK = [{ name: 'main', env: [{ name: 'BULK', value: 'x'.repeat(6_000) }] }];
const pods = writeObjects({ ...NO_OBJECTS, pods: idlePods(size) }).map((pod) =>
  encodePod({ ...pod, spec: { ...(pod['spec'] as Json), initContainers: BULK } }),
);
const replicaSets = times(2 * size, (i) =>
  message(
    [1, message([1, i < size ? `app-${i}` : `app-${i - size}-old`], [3, 'default'], [5, `uid-ReplicaSet/app-${i}`])],
    [2, message([1, i < size ? 30 : 0], [3, pods[0]!])],
  ),
);
const nodes = writeObjects({ ...NO_OBJECTS, nodes: idleNodes(size) }).map((one) => JSON.stringify(one));

serveLists((kind, fieldSelector) => {
  if (kind === 'Pod') {
    return fieldSelector.includes('spec.nodeName=,') ? [] : pods;
  }
  return kind === 'Node' ? nodes : kind === 'ReplicaSet' ? replicaSets : [];
});
