import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { EKSClient } from '@aws-sdk/client-eks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionOfEksCluster } from '../../../../providers/aws/api/eks-connection.ts';

const ACTIVE = {
  name: 'harbour',
  status: 'ACTIVE',
  endpoint: 'https://ABC.gr7.eu-central-1.eks.amazonaws.com',
  certificateAuthority: { data: Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64') },
};

describe('a connection to an EKS cluster', () => {
  const server = http.createServer((request, response) => {
    const name = request.url?.split('/').at(-1);
    const answer = {
      harbour: [200, { cluster: ACTIVE }],
      creating: [200, { cluster: { name: 'creating', status: 'CREATING' } }],
    }[name ?? ''] ?? [404, { message: 'No cluster found' }];
    response.writeHead(answer[0] as number, {
      'content-type': 'application/json',
      ...(answer[0] === 404 && { 'x-amzn-errortype': 'ResourceNotFoundException' }),
    });
    response.end(JSON.stringify(answer[1]));
  });
  let client: EKSClient;

  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    client = new EKSClient({
      region: 'eu-central-1',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    });
  });

  afterAll(() => {
    client.destroy();
    server.close();
  });

  it('has its endpoint, its certificate authority, and tokens for it', async () => {
    const connection = await connectionOfEksCluster(client, 'harbour', () => new Date('2026-01-02T03:04:05Z'));
    expect(connection).toMatchObject({
      server: new URL(ACTIVE.endpoint),
      tls: { ca: '-----BEGIN CERTIFICATE-----', insecure: false },
    });
    const token = await connection.token!(false);
    const url = Buffer.from(token.replace('k8s-aws-v1.', ''), 'base64url').toString();
    expect(url).toContain('https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity');
  });

  it('to a cluster that is being made is an error that says to wait', async () => {
    await expect(connectionOfEksCluster(client, 'creating')).rejects.toThrow(
      'EKS cluster creating in eu-central-1 has no endpoint (status CREATING)',
    );
  });

  it('to a cluster that does not exist is an error that says what to check', async () => {
    await expect(connectionOfEksCluster(client, 'nowhere')).rejects.toThrow(
      'DescribeCluster of EKS cluster nowhere in eu-central-1 failed: AWS does not know the resource (ResourceNotFoundException: No cluster found). Check its name, the region and the account.',
    );
  });
});
