import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { createServerCertificate, type ServerCertificate } from '../../cli/local/certificate.ts';
import { startAws } from './servers/aws.ts';
import { ensureServers } from './servers/cache.ts';
import { startControlPlane } from './servers/control-plane.ts';
import { startDynamoDb } from './servers/dynamodb.ts';

declare module 'vitest' {
  /** What a test gets by `inject('…')`. */
  interface ProvidedContext {
    /** Path of a kubeconfig with an administrator's token. */
    kubeconfig: string;
    /** Path of a kubeconfig for Outrigger, with the rights that it is deployed with. */
    outriggerKubeconfig: string;
    /** Path of the API server's audit log of Outrigger's requests. */
    audit: string;
    /** `https://127.0.0.1:PORT`. */
    apiServer: string;
    /** Administrator's bearer token. */
    token: string;
    /** PEM of the API server's certificate authority. */
    certificateAuthority: string;
    /** Of 127.0.0.1, from an authority that the API server trusts, as it trusts that of AWS' addresses. */
    certificate: ServerCertificate;
    /** moto: `http://127.0.0.1:PORT`, any credentials. */
    awsEndpoint: string;
    /** DynamoDB Local: `http://127.0.0.1:PORT`, any credentials. */
    dynamodbEndpoint: string;
    /** Folder of the servers' logs; kept when it holds a file `failed`. */
    logs: string;
  }
}

/** Starts the servers once for all end-to-end tests, and stops them afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await ensureServers();
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
  const teardown = async () => {
    await Promise.all(results.filter((result) => result.status === 'fulfilled').map(({ value }) => value.stop()));
    if (existsSync(path.join(logs, 'failed'))) process.stdout.write(`e2e: logs kept in ${logs}\n`);
    else removeState();
  };
  const [controlPlane, aws, dynamodb] = results;
  if (controlPlane.status === 'rejected' || aws.status === 'rejected' || dynamodb.status === 'rejected') {
    await teardown();
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
    throw new Error(`The end-to-end servers did not start: ${reasons.map(({ message }) => message).join('; ')}`);
  }
  process.stdout.write(`e2e: servers ready in ${((performance.now() - start) / 1000).toFixed(1)} s\n`);

  project.provide('kubeconfig', controlPlane.value.kubeconfig);
  project.provide('outriggerKubeconfig', controlPlane.value.outriggerKubeconfig);
  project.provide('audit', controlPlane.value.audit);
  project.provide('apiServer', controlPlane.value.connection.apiServer);
  project.provide('token', controlPlane.value.connection.token);
  project.provide('certificateAuthority', controlPlane.value.connection.certificateAuthority);
  project.provide('certificate', certificate);
  project.provide('awsEndpoint', aws.value.endpoint);
  project.provide('dynamodbEndpoint', dynamodb.value.endpoint);
  project.provide('logs', logs);
  return teardown;
}
