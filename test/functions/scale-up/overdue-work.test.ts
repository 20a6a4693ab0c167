import { expect, it } from 'vitest';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import type { StoredCluster } from '../../../functions/evaluate/load.ts';
import { reportOverdueWork } from '../../../functions/scale-up/overdue-work.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { intentOf } from '../../providers/state-store.contract.ts';
import { NOW } from '../../scenario-builders.ts';
import { clusterRun, testWorld } from '../test-world.ts';

const LONG_AGO = epochMs(NOW - minutes(30));
const silent = { ...EMPTY_STATE, lastEvaluation: LONG_AGO };
const lively = { ...EMPTY_STATE, lastEvaluation: NOW };
/** An intent that nobody has carried out, and a drain that nobody drives. */
const neglected = {
  intents: [{ ...intentOf(1, 'a'), createdAt: LONG_AGO, status: 'pending' as const }],
  drains: [
    {
      drain: drainOf('n1', { phase: 'Evicting', createdAt: LONG_AGO }),
      attempt: 1,
      drivenUntil: LONG_AGO,
      revision: 1,
    },
  ],
};

function report(
  given: Partial<StoredCluster>,
  settings: { readonly dryRun?: boolean; readonly scanMinutes?: number } = {},
) {
  const { dryRun = false, scanMinutes = 1 } = settings;
  const world = { ...testWorld({ dryRun }), scanInterval: minutes(scanMinutes) };
  const known = { version: 50, state: lively, intents: [], drains: [], ...given };
  reportOverdueWork(clusterRun(world), known, NOW);
  return { count: world.counts.get('NeedsCorrection'), lines: world.lines };
}

it('counts nothing where all is done in time, so that the alarm ends', () => {
  expect(report({})).toEqual({ count: 0, lines: [] });
});

it('counts what is late, and has an error in the log for each, with the cluster, the advice and what it is about', () => {
  const { count, lines } = report({ state: silent, ...neglected });
  expect(count).toBe(3);
  expect(lines.map(({ level, fields }) => ({ level, fields }))).toEqual([
    { level: 'error', fields: { kind: 'ScaleDownSilent', since: LONG_AGO } },
    { level: 'error', fields: { kind: 'IntentWaits', since: LONG_AGO, group: 'a' } },
    { level: 'error', fields: { kind: 'DrainStalls', since: LONG_AGO, node: 'n1' } },
  ]);
  for (const { message } of lines) {
    expect(message).toMatch(/^web: .*, since 2026|^web: last at 2026/);
    expect(message).toMatch(/ See the logs? of the /);
  }
});

it('says nothing in a dry run of the intents and drains of the deployment beside it', () => {
  const { count, lines } = report({ state: silent, ...neglected }, { dryRun: true });
  expect([count, lines.map(({ fields }) => fields['kind'])]).toEqual([1, ['ScaleDownSilent']]);
});

it('gives scale-down the time of its scans', () => {
  expect(report({ state: silent }, { scanMinutes: 30 }).count).toBe(0);
});
