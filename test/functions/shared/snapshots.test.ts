import { describe, expect, it } from 'vitest';
import type { SnapshotUse } from '../../../core/model/snapshot-use.ts';
import { SNAPSHOT_USES } from '../../../core/words/snapshot-uses.ts';
import { reportSnapshots } from '../../../functions/shared/snapshots.ts';
import { testWorld, WEB } from '../test-world.ts';

describe('a cold start', () => {
  it('that begins with a snapshot says so, and counts', () => {
    const world = testWorld();
    reportSnapshots(world, WEB).used('pods', 'Used');
    expect(world.lines).toEqual([
      {
        level: 'info',
        message: 'web: cold start: the list of pods begins with its snapshot',
        fields: { list: 'pods', snapshot: 'Used' },
      },
    ]);
    expect([...world.counts]).toEqual([['SnapshotsUsed', 1]]);
  });

  it.each((Object.keys(SNAPSHOT_USES) as SnapshotUse[]).filter((use) => use !== 'Used'))(
    'that begins with none says why, and counts: %s',
    (use) => {
      const world = testWorld();
      reportSnapshots(world, WEB).used('nodes', use);
      expect(world.lines).toEqual([
        {
          level: 'info',
          message: `web: cold start: the list of nodes is read in full, not from a snapshot: ${SNAPSHOT_USES[use].short}`,
          fields: { list: 'nodes', snapshot: use },
        },
      ]);
      expect([...world.counts]).toEqual([['SnapshotsNotUsed', 1]]);
    },
  );
});

it('each snapshot that is stored counts', () => {
  const world = testWorld();
  reportSnapshots(world, WEB).stored();
  expect([...world.counts]).toEqual([['SnapshotsStored', 1]]);
  expect(world.lines).toEqual([]);
});
