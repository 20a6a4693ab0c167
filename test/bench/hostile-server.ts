/** `node hostile-server.ts protobuf|json`: lists the cluster of `hostile-objects` as an API server does, pods in this encoding. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { encodePod } from '../providers/kubernetes/protobuf/pod-encoder.ts';
import { listOf } from '../providers/kubernetes/wire-encoder.ts';
import { ordinaryObjects } from './hostile-cluster.ts';
import { hostilePods } from './hostile-pods.ts';

const protobuf = process.argv[2] === 'protobuf';
const KINDS: Readonly<Record<string, string>> = {
  nodes: 'Node',
  pods: 'Pod',
  replicasets: 'ReplicaSet',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
  replicationcontrollers: 'ReplicationController',
  jobs: 'Job',
  poddisruptionbudgets: 'PodDisruptionBudget',
  namespaces: 'Namespace',
  priorityclasses: 'PriorityClass',
  persistentvolumes: 'PersistentVolume',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  storageclasses: 'StorageClass',
  csinodes: 'CSINode',
  volumeattachments: 'VolumeAttachment',
};

const objects = [...ordinaryObjects(), ...hostilePods().map((pod) => ({ kind: 'Pod', ...pod }))];
const pods = objects
  .filter(({ kind }) => kind === 'Pod')
  .map((pod) => (protobuf ? encodePod(pod) : JSON.stringify(pod)));

interface Packed {
  readonly contentType: string;
  readonly body: Buffer;
}

function page(resource: string, from: number, limit: number): Packed {
  const kind = KINDS[resource]!;
  const all = kind === 'Pod' ? pods : objects.filter((one) => one.kind === kind).map((one) => JSON.stringify(one));
  const items = all.slice(from, from + limit);
  const token = from + limit < all.length ? String(from + limit) : '';
  if (kind === 'Pod' && protobuf) {
    return {
      contentType: 'application/vnd.kubernetes.protobuf',
      body: gzipSync(listOf('v1', kind, items as readonly Buffer[], token), { level: 1 }),
    };
  }
  const text = `{"kind":"${kind}List","metadata":{"continue":"${token}"},"items":[${items.join(',')}]}`;
  return { contentType: 'application/json', body: gzipSync(text, { level: 1 }) };
}

const pages = new Map<string, Packed>();
const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://server');
  const resource = pathname.split('/').at(-1)!;
  if (!Object.hasOwn(KINDS, resource)) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"kind":"Status","reason":"NotFound","code":404}');
    return;
  }
  const from = Number(searchParams.get('continue') ?? 0);
  const limit = Number(searchParams.get('limit') ?? Number.POSITIVE_INFINITY);
  const key = `${resource} ${from} ${limit}`;
  const { contentType, body } = pages.get(key) ?? page(resource, from, limit);
  pages.set(key, { contentType, body });
  response.writeHead(200, { 'content-type': contentType, 'content-encoding': 'gzip', 'content-length': body.length });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
});
process.stdin.on('end', () => process.exit()).resume();
