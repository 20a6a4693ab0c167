import { describe, expect, it } from 'vitest';
import type { StepError } from '../../../cli/install/journal.ts';
import { uninstall, type UninstallRequest } from '../../../cli/uninstall/uninstall.ts';
import { GOING_ON, installed, taintsOf } from '../install/installed.ts';
import { settled, silentJournal, startWorld, TABLE, type World } from '../install/world.ts';

const REQUEST: UninstallRequest = { drainLimitMs: 60_000, deleteTable: false, dryRun: false };

async function run(world: World, request: Partial<UninstallRequest> = {}, settings: object = {}) {
  const journal = silentJournal();
  const ended = await uninstall(await world.open(settings), { ...REQUEST, ...request }, journal).then(
    (notes) => ({ notes, failure: null }),
    (failure: unknown) => ({ notes: [], failure }),
  );
  return { ...ended, steps: Object.fromEntries(journal.steps.map(({ id, status }) => [id, status])), journal };
}

const UNINSTALLED = {
  stack: null,
  taints: {
    drained: ['team'],
    leaving: ['ToBeDeletedByClusterAutoscaler', 'cordon'],
    unneeded: ['team'],
    young: ['team'],
    needed: ['team'],
    theirs: ['ToBeDeletedByClusterAutoscaler'],
  },
  objects: [],
  driven: 0,
};

const left = (world: World) => ({
  stack: settled(world.state).stack,
  taints: taintsOf(world),
  objects: settled(world.state).objects.filter((path) => !path.includes('/nodes/')),
  driven: world.state.driven.size,
});

describe('outrigger uninstall', () => {
  it('leaves nothing but the table, what others have put on nodes, and nodes whose instance ends', async () => {
    const world = await installed(GOING_ON);
    const { failure, notes, steps } = await run(world);
    expect(failure).toBeNull();
    expect(left(world)).toEqual(UNINSTALLED);
    expect(steps).toMatchObject({
      schedules: 'done',
      webhook: 'done',
      drains: 'done',
      stack: 'done',
      table: 'skipped',
    });
    expect([...world.state.tables.keys()]).toEqual([TABLE]);
    expect(notes.join('\n')).toContain(`aws dynamodb delete-table --region us-east-1 --table-name ${TABLE}`);
  });

  it('says how to delete the bucket of snapshots, where the stack has had one', async () => {
    const world = await installed();
    world.snapshots = true;
    const { notes } = await run(world);
    expect(notes.at(-1)).toBe('aws s3 rb --region us-east-1 --force s3://Outrigger-prod-Snapshots0A1B2C3D');
    const { notes: without } = await run(await installed());
    expect(without.join('\n')).not.toContain('s3');
  });

  it('first ends what begins something, and deletes the stack last', async () => {
    const world = await installed(GOING_ON);
    const from = world.writes.length;
    await run(world);
    const writes = world.writes.slice(from);
    expect(writes.slice(0, 2)).toEqual(['set Schedules', 'delete validatingwebhookconfigurations/outrigger-prod']);
    expect(writes.at(-1)).toBe('delete the stack');
    // The roles go after the nodes were freed, which the functions may still work on.
    expect(writes.indexOf('patch drained')).toBeLessThan(writes.indexOf('delete clusterroles/outrigger'));
  });

  it('waits for drains to end, and stops none that does', async () => {
    const world = await installed(GOING_ON);
    let pauses = 0;
    world.onPause = () => {
      pauses += 1;
      if (pauses === 2) {
        // Both have ended.
        world.state.tables.get(TABLE)!.items.clear();
        world.state.driven.clear();
      }
    };
    const { journal } = await run(world);
    expect(world.writes.filter((what) => what.startsWith('stop'))).toEqual([]);
    expect(journal.lines).toContain('✓ Drains that have ended: 2; that were stopped: 0.');
  });

  it('with a limit of 0 stops drains at once, and waits for a round that has begun', async () => {
    const world = await installed(GOING_ON);
    const from = world.writes.length;
    let pauses = 0;
    world.onPause = () => {
      pauses += 1;
    };
    const { failure } = await run(world, { drainLimitMs: 0 });
    expect([failure, pauses]).toEqual([null, 1]);
    expect(world.writes.slice(from)).toContain(
      'reserve Outrigger-prod-Drain0A1B2C3D {"ReservedConcurrentExecutions":0}',
    );
    expect(left(world)).toEqual(UNINSTALLED);
  });

  it('takes a cluster in another account by its kubeconfig', async () => {
    const world = await installed(GOING_ON);
    const place = await world.open({ role: 'arn:aws:iam::210987654321:role/outrigger' }, true);
    await uninstall(place, REQUEST, silentJournal());
    expect(left(world)).toEqual(UNINSTALLED);
  });

  it.each(Array.from({ length: 15 }, (_, index) => index + 1))(
    'that is interrupted at write %i ends, run again, as one that was not',
    async (writes) => {
      const world = await installed(GOING_ON);
      const from = world.writes.length;
      world.dieAfter = from + writes;
      const first = await run(world, { deleteTable: true });
      expect(first.failure).not.toBeNull();
      expect(world.writes).toHaveLength(from + writes);
      world.dieAfter = Infinity;
      const second = await run(world, { deleteTable: true });
      expect(second.failure).toBeNull();
      expect(left(world)).toEqual(UNINSTALLED);
      expect(world.state.tables.size).toBe(0);
    },
  );

  it('deletes the table only where that is asked for, its protection first', async () => {
    const world = await installed();
    world.state.tables.set('Outrigger-prod-Table0A1B2C3D-copied', { protected: false, items: new Map() });
    await run(world, { deleteTable: true });
    expect(world.writes.slice(-2)).toEqual([`unprotect ${TABLE}`, `delete ${TABLE}`]);
    // A table with the name and without the tag of the stack.
    expect([...world.state.tables.keys()]).toEqual(['Outrigger-prod-Table0A1B2C3D-copied']);
  });

  it('where there is nothing says so of each step', async () => {
    const world = await startWorld();
    const { failure, steps } = await run(world);
    expect(failure).toBeNull();
    expect(new Set(Object.values(steps))).toEqual(new Set(['unchanged', 'skipped']));
    expect(world.writes).toEqual([]);
  });

  it('--dry-run changes nothing', async () => {
    const world = await installed(GOING_ON);
    const from = world.writes.length;
    const { failure, journal } = await run(world, { dryRun: true, deleteTable: true });
    expect(failure).toBeNull();
    expect(world.writes).toHaveLength(from);
    expect(journal.lines.join('\n')).toContain('Would take the taints of Outrigger off drained, unneeded, young.');
  });

  it('refuses a stack whose schedules cannot be switched off, before anything is removed', async () => {
    const world = await installed();
    delete world.state.stack!.parameters['Schedules'];
    const from = world.writes.length;
    const { failure } = await run(world);
    expect((failure as StepError).remedy.join()).toContain('npx outrigger install --cluster prod');
    expect(world.writes).toHaveLength(from);
  });
});
