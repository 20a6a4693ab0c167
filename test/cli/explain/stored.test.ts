import * as z from 'zod';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StoredFlags } from '../../../cli/explain/flags.ts';
import { answerFromStored } from '../../../cli/explain/stored.ts';
import { aboutCluster, byRecord, subjectText } from '../../../cli/explain/subjects.ts';
import type { Subject } from '../../../core/explanation/pages/page.ts';
import { addTime, seconds } from '../../../core/model/values/time.ts';
import { documentSchema, type DocumentName } from '../../../providers/schema/documents.ts';
import { NOW } from '../../scenario-builders.ts';
import { storedCluster } from './stored-cluster.ts';
import { captured } from '../captured.ts';

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

type Asked = Parameters<typeof byRecord>[0];

const run = (flags: Partial<StoredFlags>, answer: Asked = aboutCluster) =>
  captured((streams) =>
    answerFromStored(
      {
        flags: { cluster: 'web', region: 'us-east-1', output: 'text', ...flags },
        now: () => addTime(NOW, seconds(90)),
        answer: byRecord(answer),
      },
      streams,
    ),
  );
const asked =
  (subject: Subject, name: string): Asked =>
  (remembered) =>
    subjectText(subject, name, remembered);

describe('what is stored of a cluster', () => {
  it('is found by its stack, and read without a write', async () => {
    const { server } = await storedCluster();
    const before = server.calls.length;
    const { code, stdout, stderr } = await run({ awsEndpoint: server.endpoint });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('act: decisions are carried out');
    expect(stdout).toContain("2  didn't trigger scale-up: default/huge, default/huge-2");
    expect(new Set(server.calls.slice(before).map(({ action }) => action))).toEqual(
      new Set(['ListStackResources', 'DynamoDB_20120810.Query']),
    );
  });

  it('is found by the name of its table, without a stack', async () => {
    const { server, table } = await storedCluster();
    const before = server.calls.length;
    const { code, stdout } = await run({ table, dynamodbEndpoint: server.endpoint }, asked('pod', 'waits'));
    expect(code).toBe(0);
    expect(stdout).toContain('web-b, from 0 to 1');
    expect(server.calls.slice(before).map(({ action }) => action)).not.toContain('ListStackResources');
  });

  it('of a deployment that observes says so', async () => {
    const { server } = await storedCluster(true);
    expect((await run({ awsEndpoint: server.endpoint })).stdout).toContain('observe: decisions are only recorded');
  });

  it.each<[DocumentName, Asked]>([
    ['status', aboutCluster],
    ['pod-explanation', asked('pod', 'default/huge')],
    ['node-explanation', asked('node', 'n2')],
    ['group-explanation', asked('group', 'web-b')],
  ])('is JSON in the form of the schema %s', async (name, answer) => {
    const { server } = await storedCluster();
    const { code, stdout } = await run({ awsEndpoint: server.endpoint, output: 'json' }, answer);
    expect(code).toBe(0);
    const document = JSON.parse(stdout) as Record<string, unknown>;
    expect(z.fromJSONSchema(documentSchema(name)).parse(document)).toEqual(document);
    expect(JSON.stringify(document)).toContain('"2026-01-01T12:00:00Z"');
  });

  it('has lines of at most 80 columns where it is not printed to a terminal, and no color', async () => {
    const { server } = await storedCluster();
    const { stdout } = await run({ awsEndpoint: server.endpoint });
    expect(stdout).not.toContain('\u001B');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('without an answer', () => {
  it('says what is not known, when it was decided, and which names are near', async () => {
    const { server } = await storedCluster();
    const { code, stdout, stderr } = await run({ awsEndpoint: server.endpoint }, asked('pod', 'default/hug'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(
      'the last decision of scale-up (2026-01-01T12:00:00Z, 1m30s ago) does not mention it\nDid you mean default/huge?',
    );
  });

  it.each<[string, Partial<StoredFlags>, string]>([
    ['no stack', { cluster: 'other' }, 'There is no stack Outrigger-other in us-east-1'],
    ['a state in memory', { cluster: 'other' }, 'runs without --dynamodb-endpoint, its state is in its memory: --ui'],
    [
      'no table',
      { table: 'nothing' },
      'DynamoDB table nothing: load cluster web failed: AWS does not know the resource',
    ],
  ])('says that there may be %s', async (_, flags, complaint) => {
    const { server } = await storedCluster();
    const { code, stderr } = await run({ awsEndpoint: server.endpoint, ...flags });
    expect(code).toBe(1);
    expect(stderr).toContain(complaint);
  });

  it('says that the cluster was never evaluated', async () => {
    const { server, table } = await storedCluster();
    const { code, stderr } = await run({ awsEndpoint: server.endpoint, cluster: 'other', table });
    expect(code).toBe(1);
    expect(stderr).toContain(`Cluster other was never evaluated, as far as table ${table} has it`);
  });
});
