import { expect, test } from 'vitest';
import { install, type InstallRequest } from '../../../../cli/install/install.ts';
import { GOING_ON, installed, taintsOf } from '../installed.ts';
import { silentJournal, type World } from '../world.ts';

const REQUEST: InstallRequest = {
  rotateToken: false,
  testsWebhook: false,
  dryRun: false,
  token: null,
  drainLimitMs: 60_000,
};
const ACTS = 'act: they are carried out';

async function acting(): Promise<World> {
  const world = await installed(GOING_ON);
  world.state.stack!.mode = ACTS;
  return world;
}

/** Installs again, with the configuration's mode, and what each step came to. */
async function reinstall(world: World, mode: string, request: Partial<InstallRequest> = {}, settings: object = {}) {
  const journal = silentJournal();
  const from = world.writes.length;
  world.mode = mode === 'act' ? ACTS : 'observe: they are recorded';
  await install(await world.open({ mode, ...settings }), world.deploy, { ...REQUEST, ...request }, journal);
  return {
    steps: Object.fromEntries(journal.steps.map(({ id, status }) => [id, status])),
    writes: world.writes.slice(from),
  };
}

const FREED = { drained: ['team'], leaving: ['ToBeDeletedByClusterAutoscaler', 'cordon'], unneeded: ['team'] };

test('install with mode: observe ends the drains of a stack that acts, and frees their nodes, before its rights go', async () => {
  const world = await acting();
  const { steps, writes } = await reinstall(world, 'observe');
  expect(steps).toMatchObject({ 'schedules-off': 'done', drains: 'done', nodes: 'done', schedules: 'done' });
  expect(taintsOf(world)).toMatchObject(FREED);
  expect(world.state.driven.size).toBe(0);
  const deployed = writes.findIndex((write) => write.startsWith('deploy'));
  expect(writes[0]).toBe('set Schedules');
  expect(writes.slice(deployed + 1).filter((write) => /stop|patch/.test(write))).toEqual([]);
  expect(world.state.stack!.parameters['Schedules']).toBe('ENABLED');
});

test.each([1, 2, 3, 4, 5])(
  'install with mode: observe, interrupted at write %i, ends, run again, as one that was not',
  async (writes) => {
    const world = await acting();
    world.dieAfter = world.writes.length + writes;
    await expect(reinstall(world, 'observe')).rejects.toThrow('the process has died');
    world.dieAfter = Infinity;
    await reinstall(world, 'observe');
    expect(taintsOf(world)).toMatchObject(FREED);
    expect(world.state.driven.size).toBe(0);
    expect(world.state.stack!.parameters['Schedules']).toBe('ENABLED');
  },
);

test('install with mode: observe has no driver of drains begin until nothing acts on them', async () => {
  const world = await acting();
  const { writes } = await reinstall(world, 'observe', { drainLimitMs: 0 });
  expect(taintsOf(world)).toMatchObject(FREED);
  const order = writes
    .filter((write) => /^(?:reserve|unreserve|deploy)/.test(write))
    .map((write) => write.split(' ')[0]);
  expect(order).toEqual(['reserve', 'deploy', 'unreserve']);
});

test.each([
  ['act', 'of a stack that acts', ACTS],
  ['observe', 'of a stack that observes', 'observe: they are recorded'],
])('install with mode: %s %s touches no drain', async (mode, _, before) => {
  const world = await acting();
  world.state.stack!.mode = before;
  const marked = taintsOf(world);
  const { steps } = await reinstall(world, mode);
  expect(Object.keys(steps)).toEqual(['checks', 'stack', 'manifests', 'webhook', 'schedules']);
  expect(taintsOf(world)).toEqual(marked);
});

test('install --dry-run with mode: observe says what it would do, and does nothing', async () => {
  const world = await acting();
  const { steps, writes } = await reinstall(world, 'observe', { dryRun: true });
  expect(steps).toMatchObject({ 'schedules-off': 'would', drains: 'would', nodes: 'would' });
  expect(writes).toEqual([]);
});
