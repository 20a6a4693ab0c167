import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServerCertificate, type ServerCertificate } from '../../../cli/local/certificate.ts';
import { startAws } from './aws.ts';
import { ensureServers } from './cache.ts';
import { startControlPlane } from './control-plane.ts';
import { startDynamoDb } from './dynamodb.ts';
import { type KubernetesVersion, kubernetesServers } from './kubernetes.ts';

/** A control plane, moto and DynamoDB Local, and how to reach them. */
export interface ServerSet {
  /** Path of a kubeconfig with an administrator's token. */
  readonly kubeconfig: string;
  /** Path of a kubeconfig for Outrigger, with the rights that it is deployed with. */
  readonly outriggerKubeconfig: string;
  /** Path of the API server's audit log of Outrigger's requests. */
  readonly audit: string;
  /** `https://127.0.0.1:PORT`. */
  readonly apiServer: string;
  /** `http://127.0.0.1:PORT`. */
  readonly etcd: string;
  /** Administrator's bearer token. */
  readonly token: string;
  /** PEM of the API server's certificate authority. */
  readonly certificateAuthority: string;
  /** Certificate of 127.0.0.1, by an authority that the API server trusts, like that of AWS' addresses. */
  readonly certificate: ServerCertificate;
  /** moto: `http://127.0.0.1:PORT`, any credentials. */
  readonly awsEndpoint: string;
  /** DynamoDB Local: `http://127.0.0.1:PORT`, any credentials. */
  readonly dynamodbEndpoint: string;
  /** Folder of the servers' logs; kept when it holds a file `failed`. */
  readonly logs: string;
}

export interface RunningServerSet {
  readonly set: ServerSet;
  stop(): Promise<void>;
}

/** Starts a set of servers, with its state in a temporary folder. */
export async function startServerSet(version: KubernetesVersion): Promise<RunningServerSet> {
  const servers = { ...(await kubernetesServers(version)), ...(await ensureServers(['kwok', 'moto', 'dynamodb'])) };
  const state = await mkdtemp(path.join(tmpdir(), 'outrigger-e2e-'));
  const logs = path.join(state, 'logs');
  const removeState = () => rmSync(state, { recursive: true, force: true, maxRetries: 3 });
  // When a signal ends the run there is no teardown. What failed before that stays.
  process.once('exit', () => {
    if (!existsSync(path.join(logs, 'failed'))) removeState();
  });
  await mkdir(logs);
  const certificate = await createServerCertificate('127.0.0.1');
  const start = performance.now();
  const results = await Promise.allSettled([
    startControlPlane(servers, path.join(state, 'control-plane'), logs, certificate.ca),
    startAws(servers, path.join(state, 'aws'), logs),
    startDynamoDb(servers, path.join(state, 'dynamodb'), logs),
  ]);
  const stop = async () => {
    await Promise.all(results.filter((result) => result.status === 'fulfilled').map(({ value }) => value.stop()));
    if (existsSync(path.join(logs, 'failed'))) process.stdout.write(`e2e: logs kept in ${logs}\n`);
    else removeState();
  };
  const [controlPlane, aws, dynamodb] = results;
  if (controlPlane.status === 'rejected' || aws.status === 'rejected' || dynamodb.status === 'rejected') {
    await stop();
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
    throw new Error(reasons.map(({ message }) => message).join('; '));
  }
  process.stdout.write(`e2e: servers ready in ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  const { connection, kubeconfig, outriggerKubeconfig, etcd, audit } = controlPlane.value;
  const endpoints = { awsEndpoint: aws.value.endpoint, dynamodbEndpoint: dynamodb.value.endpoint };
  return {
    set: { kubeconfig, outriggerKubeconfig, etcd, audit, ...connection, certificate, ...endpoints, logs },
    stop,
  };
}
