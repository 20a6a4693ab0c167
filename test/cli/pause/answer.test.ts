import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerFromStored } from '../../../cli/explain/stored.ts';
import { subjectText, aboutCluster, byRecord } from '../../../cli/explain/subjects.ts';
import { pauseCluster, type PauseFlags, resumeCluster, type ResumeFlags } from '../../../cli/pause/answer.ts';
import { addTime, minutes, seconds } from '../../../core/model/values/time.ts';
import { documentSchema } from '../../../providers/schema/documents.ts';
import { NOW } from '../../scenario-builders.ts';
import { storedCluster, type StoredCluster } from '../explain/stored-cluster.ts';
import { captured } from '../captured.ts';

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  // An expired pause is not read: the store has the clock of this computer.
  vi.useFakeTimers({ toFake: ['Date'], now: addTime(NOW, seconds(90)) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const now = () => addTime(NOW, seconds(90));

function commands({ server }: StoredCluster, output: 'text' | 'json' = 'text') {
  const flags = { cluster: 'web', region: 'us-east-1', output, awsEndpoint: server.endpoint } as const;
  return {
    pause: (given: PauseFlags) =>
      captured(
        async (streams) => await answerFromStored({ flags, now, answer: pauseCluster.bind(null, given) }, streams),
      ),
    resume: (given: ResumeFlags = {}) =>
      captured(
        async (streams) => await answerFromStored({ flags, now, answer: resumeCluster.bind(null, given) }, streams),
      ),
    status: () =>
      captured(async (streams) => await answerFromStored({ flags, now, answer: byRecord(aboutCluster) }, streams)),
    explainGroup: (name: string) =>
      captured(
        async (streams) =>
          await answerFromStored({ flags, now, answer: byRecord(subjectText.bind(null, 'group', name)) }, streams),
      ),
  };
}

describe('outrigger pause and outrigger resume', () => {
  it('stop everything and start it again, and say so', async () => {
    const { pause, resume, status } = commands(await storedCluster());
    const paused = await pause({});
    expect(paused).toMatchObject({ code: 0, stderr: '' });
    expect(paused.stdout).toMatch(/^Paused: everything is paused until it is resumed, by outrigger pause\.\n/);
    expect(paused.stdout).toContain('Drains stop before their next eviction');
    expect((await status()).stdout).toContain(
      'Paused (1)\n  everything is paused until it is resumed, by outrigger pause\n',
    );
    const resumed = await resume();
    expect([resumed.code, resumed.stdout.split('\n')[0]]).toEqual([0, 'Resumed: 1 pause taken back.']);
    expect((await status()).stdout).not.toContain('Paused');
    expect((await resume()).stdout).toBe('Nothing was paused by outrigger pause.\n\nNothing is paused now.\n');
  });

  it('need no more than to find the table, write the item and read pauses', async () => {
    const stored = await storedCluster();
    const before = stored.server.calls.length;
    const { pause, resume } = commands(stored);
    await pause({ scaleDown: true });
    await resume();
    expect(new Set(stored.server.calls.slice(before).map(({ action }) => action))).toEqual(
      new Set([
        'ListStackResources',
        'DynamoDB_20120810.PutItem',
        'DynamoDB_20120810.Query',
        'DynamoDB_20120810.DeleteItem',
      ]),
    );
  });

  it('are for a part, a node group and a time', async () => {
    const { pause, resume } = commands(await storedCluster());
    await pause({ scaleUp: true });
    const { stdout } = await pause({ scaleDown: true, group: 'web-b', for: minutes(120), cancelDrains: true });
    expect(stdout).toMatch(
      /^Paused: scale-down is paused in node group web-b until 2026-01-01T14:01:30Z, by outrigger pause; drains are rolled back\.\n/,
    );
    expect(stdout).toContain(
      [
        'In force now:',
        '  scale-up is paused until it is resumed, by outrigger pause',
        '  scale-down is paused in node group web-b until 2026-01-01T14:01:30Z, by outrigger pause; drains are rolled back',
      ].join('\n'),
    );
    expect((await resume({ group: 'web-b' })).stdout).toMatch(
      /^Resumed: 1 pause of node group web-b taken back\.[^]*In force now:\n {2}scale-up is paused/,
    );
  });

  it('refuse a node group that is not known: a mistyped name would stop nothing', async () => {
    const { pause, status } = commands(await storedCluster());
    expect(await pause({ group: 'wbe-b' })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: Nothing is paused: the last decision has no node group wbe-b\nDid you mean web, web-b?\n',
    });
    expect((await status()).stdout).not.toContain('Paused');
  });

  it('print documents for programs', async () => {
    const { pause, status } = commands(await storedCluster(), 'json');
    for (const [name, { stdout }] of [
      ['pauses', await pause({ group: 'web-b', for: minutes(5) })],
      ['status', await status()],
    ] as const) {
      const document = JSON.parse(stdout) as { readonly pauses: unknown };
      expect(document.pauses).toMatchObject([{ part: 'All', group: 'web-b', until: '2026-01-01T12:06:30Z' }]);
      expect(documentSchema(name)).toBeDefined();
    }
  });
});
