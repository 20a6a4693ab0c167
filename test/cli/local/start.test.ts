import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type PackedReport, unpacked } from '../../../cli/html/packed.ts';
import type { Flags } from '../../../cli/local/flags.ts';
import { createLog } from '../../../cli/local/log.ts';
import { start } from '../../../cli/local/start.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { readPage } from '../html/read-page.ts';
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
      maxInactivity: minutes(10),
      maxFailingTime: minutes(15),
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
  it('serves metrics, the health check and a page of what it has decided, and ends with the process', async () => {
    const { run } = await started({ address: { host: '127.0.0.1', port: 0 }, ui: true, dryRun: true });
    const at = (path: string): string => new URL(path, run.endpointUrl!).href;
    const metrics = async (): Promise<string> => await (await fetch(at('metrics'))).text();
    // The function still ends when its decision has been logged.
    await vi.waitFor(
      async () =>
        expect(await metrics()).toMatch(
          /^cluster_autoscaler_function_duration_seconds_count\{function="scaleUp"\} [1-9]/m,
        ),
      10_000,
    );
    expect(await metrics()).toContain('cluster_autoscaler_node_group_target_count{node_group="workers"} 2\n');
    expect(await (await fetch(at('health-check'))).text()).toBe('OK\n');
    const page = await fetch(at('/'));
    const { report, policy } = readPage(await page.text());
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(policy['connect-src']).toEqual(["'self'"]);
    const news = unpacked((await (await fetch(at('report.json'))).json()) as PackedReport);
    for (const { decisions, facts } of [report, news]) {
      expect(decisions.map(({ message }) => message).join('\n')).toContain('workers 0 → 2');
      expect(Object.fromEntries(facts)['Mode']).toMatch(/^observe: /);
    }
    await run.close();
    await expect(fetch(at('metrics'))).rejects.toThrow('fetch failed');
  });

  it('serves nothing unless it is asked to, and no page without --ui', async () => {
    expect((await started({ dryRun: true })).run.endpointUrl).toBeNull();
    const { run } = await started({ address: { host: '127.0.0.1', port: 0 }, dryRun: true });
    expect((await fetch(new URL('/', run.endpointUrl!))).status).toBe(404);
    expect((await fetch(new URL('/report.json', run.endpointUrl!))).status).toBe(404);
  });

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
