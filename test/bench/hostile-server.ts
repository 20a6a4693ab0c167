/** `node hostile-server.ts protobuf|json`: lists the cluster of `hostile-objects` as an API server does, pods in this encoding. */
import { encodePod } from '../providers/kubernetes/protobuf/pod-encoder.ts';
import { ordinaryObjects } from './hostile-cluster.ts';
import { hostilePods } from './hostile-pods.ts';
import { serveLists } from './list-server.ts';

const protobuf = process.argv[2] === 'protobuf';
const objects = [...ordinaryObjects(), ...hostilePods().map((pod) => ({ kind: 'Pod', ...pod }))];
const pods = objects.filter(({ kind }) => kind === 'Pod');
const encoded = protobuf ? pods.map((pod) => encodePod(pod)) : pods.map((pod) => JSON.stringify(pod));

serveLists((kind) =>
  kind === 'Pod' ? encoded : objects.filter((one) => one.kind === kind).map((one) => JSON.stringify(one)),
);
