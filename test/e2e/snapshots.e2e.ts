import {
  CreateBucketCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { NAMESPACE, nodeManifest, podManifest } from '../bench/observe/objects.ts';
import { type Looking, startLooking } from '../bench/observe/looking.ts';
import { type OwnApiServer, startOwnApiServer } from './own-api-server.ts';
import { region, testCredentials } from './servers/aws-clients.ts';
import { serverSet } from './server-set.ts';
import { createClusterReader } from '../cluster-access.ts';

const BUCKET = 'outrigger-snapshots';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const POD_COUNT = 300;

let server: OwnApiServer;
let s3: S3Client;
/** Number of pods created so far in the cluster: tests never use the name of a pod twice. */
let named = 0;
const processes: Looking[] = [];

beforeAll(async () => {
  server = await startOwnApiServer('snapshots');
  s3 = new S3Client({ endpoint: serverSet.awsEndpoint, forcePathStyle: true, region, credentials: testCredentials });
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  vi.stubEnv('AWS_ACCESS_KEY_ID', testCredentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', testCredentials.secretAccessKey);
  await server.kube.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await server.kube.create('/api/v1/nodes', nodeManifest(0));
  for (let index = 0; index < POD_COUNT; index += 1) {
    await createPod();
  }
});

beforeEach(async () => {
  const keys = await storedKeys();
  if (keys.length > 0) {
    await s3.send(new DeleteObjectsCommand({ Bucket: BUCKET, Delete: { Objects: keys.map((Key) => ({ Key })) } }));
  }
});

afterEach(async () => {
  await Promise.all(processes.splice(0).map((one) => one.end()));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  s3.destroy();
  await server.stop();
});

/** @returns its path */
async function createPod(): Promise<string> {
  const manifest = podManifest(named, 1) as { readonly metadata: { readonly name: string } };
  named += 1;
  await server.kube.create(PODS, manifest);
  return `${PODS}/${manifest.metadata.name}`;
}

async function storedKeys(): Promise<readonly string[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: BUCKET }));
  return Contents.map(({ Key }) => Key!);
}

/** A process that keeps lists of any length, and has snapshots in the bucket. */
function coldProcess(): Looking {
  const process = startLooking(server.kubeconfig, 'kept', `${serverSet.awsEndpoint}/${BUCKET}`, 0);
  processes.push(process);
  return process;
}

/** A process that has read the cluster in full, and stored snapshots. */
async function afterFirst() {
  const first = coldProcess();
  const listed = await first.look();
  expect(listed).toMatchObject({ how: 'listed', nodes: 1, warnings: [] });
  expect(await first.save()).toMatchObject({ warnings: [] });
  return { first, listed };
}

/** Number of pods, as a full list shows them. */
async function podsInFull(): Promise<number> {
  const reader = createClusterReader(await connectionOfKubeconfig({ file: server.kubeconfig, context: null }));
  try {
    return (await reader.read()).objects.pods.length;
  } finally {
    reader.close();
  }
}

test('a process begins with what another one has stored, and a watch brings it up to date', async () => {
  const leaves = await createPod();
  const { first, listed } = await afterFirst();
  expect(await storedKeys()).toEqual(
    ['jobs.batch', 'nodes', 'pods', 'replicasets.apps'].map((name) => `lists/${name}`),
  );
  await createPod();
  await server.kube.remove(leaves, 0);
  await createPod();
  const cold = await coldProcess().look();
  expect(cold).toMatchObject({ pods: listed.pods + 1, nodes: 1, warnings: [] });
  expect(cold.how).toMatch(/^watched [345] events since a snapshot$/);
  expect(cold.bytes).toBeLessThan(listed.bytes / 10);
  expect(cold.digest).toBe((await first.look()).digest);
  expect(await podsInFull()).toBe(listed.pods + 1);
});

test('after the API server has forgotten the changes since, lists are read in full', async () => {
  const { listed } = await afterFirst();
  await createPod();
  await server.compact();
  await server.restart();
  const cold = await coldProcess().look();
  expect(cold).toMatchObject({ how: 'listed again expired', pods: listed.pods + 1, warnings: [] });
});

test('a snapshot that someone has damaged is a warning and a full list', async () => {
  const { listed } = await afterFirst();
  await s3.send(
    new PutObjectCommand({ Bucket: BUCKET, Key: 'lists/pods', Body: 'outrigger snapshot 1 of something else\n' }),
  );
  const cold = await coldProcess().look();
  expect(cold).toMatchObject({ how: 'listed', pods: listed.pods });
  expect(cold.warnings).toEqual([expect.stringContaining('The snapshot of pods is not used: it is none')]);
});
