import { onTestFinished, vi } from 'vitest';
import { startWireServer } from '../../providers/aws/wire-server.ts';
import { rawScalable } from '../../providers/clusterapi/builders.ts';
import { servedAt } from '../../providers/clusterapi/served.ts';
import { apiServer, type Handler, json, refuse } from '../../providers/kubernetes/api-server.ts';

/** Variables that the stack and Lambda itself set. */
export const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  OUTRIGGER_CLUSTER: 'web',
  OUTRIGGER_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/wake-ups.fifo',
  OUTRIGGER_TABLE: 'outrigger',
  OUTRIGGER_OPTIONS: '{"scaleDownUnneededTime": "5m"}',
  OUTRIGGER_DRY_RUN: 'false',
};

export const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

export const set = (variables: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(variables)) {
    vi.stubEnv(name, value);
  }
};
/** An EKS cluster whose API server answers so. */
export async function eksCluster(handler: Handler) {
  const server = await apiServer(handler);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { endpoint } = await startWireServer(() => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      cluster: {
        endpoint: server.connection.server.href,
        certificateAuthority: { data: Buffer.from(String(server.connection.tls.ca)).toString('base64') },
      },
    }),
  }));
  set({ ...CREDENTIALS, AWS_ENDPOINT_URL_EKS: endpoint });
  return server;
}

/** A management cluster with one MachineDeployment. */
export const ONE_RESOURCE: Handler = ({ path }, response) => {
  const found = servedAt(path, [rawScalable('MachineDeployment', 'web')]);
  return found === null ? refuse(response, 404, 'NotFound', 'there is none') : json(response, 200, found);
};
