import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Flags } from '../../../cli/local/flags.ts';
import { createLog } from '../../../cli/local/log.ts';
import { start } from '../../../cli/local/start.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { liveCluster } from '../live-cluster.ts';

/** Starts `outrigger local` on an empty cluster with a group below its minimum, and waits for the first decision. */
async function started(flags: Partial<Flags>) {
  const { flags: reaching, aws, server } = await liveCluster();
  const lines: string[] = [];
  const run = await start(
    {
      ...reaching,
      table: 'outrigger',
      schedulerUser: [],
      schedule: minutes(60),
      timeout: minutes(1),
      output: 'text',
      log: 'text',
      ...flags,
    },
    createLog(
      'text',
      'info',
      (line) => lines.push(line),
      () => new Date(0),
    ),
  );
  onTestFinished(async () => {
    await run.close();
  });
  const decisions = () => lines.filter((line) => line.includes('workers 0 → 2'));
  await vi.waitFor(() => expect(decisions()).not.toEqual([]), 10_000);
  const changes = () => aws.map(({ action }) => action).filter((action) => !action.startsWith('Describe'));
  const writes = () => server.filter(({ method }) => method !== 'GET');
  return { run, lines, decision: decisions()[0], changes, writes };
}

describe('outrigger local', () => {
  it('with --dry-run says what it would do, and does nothing to the groups nor to the cluster', async () => {
    const { run, lines, decision, changes, writes } = await started({ dryRun: true });
    expect(lines[0]).toContain('(dry run: nothing is changed)');
    expect(decision).toContain('(dry run)');
    await run.close();
    expect(changes()).toEqual([]);
    expect(writes()).toEqual([]);
  });

  it('without it does what it has decided', async () => {
    const { decision, changes } = await started({});
    expect(decision).not.toContain('dry run');
    await vi.waitFor(() => expect(changes()).toContain('SetDesiredCapacity'), 10_000);
  });
});
