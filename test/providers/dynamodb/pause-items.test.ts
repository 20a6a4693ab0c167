import { describe, expect, it } from 'vitest';
import { groupName } from '../../../core/model/values/names.ts';
import { addTime, seconds } from '../../../core/model/values/time.ts';
import { isPauseOf, pauseKey } from '../../../providers/dynamodb/keys.ts';
import { readPauses } from '../../../providers/dynamodb/pause-items.ts';
import { NOW } from '../../scenario-builders.ts';
import { WEB } from '../../functions/test-world.ts';

const pause = { part: 'ScaleDown', group: null, until: null, cancelDrains: false } as const;
const item = (stored: unknown, sk = 'PAUSE#ScaleDown#') => ({ pk: 'CLUSTER#web', sk, pause: stored });

describe('items of pauses', () => {
  it('that are malformed pause nothing, and are named; others hold', () => {
    const { pauses, unreadable } = readPauses(
      [item({ ...pause, part: 'Everything' }, 'PAUSE#Everything#'), item(undefined, 'PAUSE#All#'), item(pause)],
      NOW,
    );
    expect(pauses).toEqual([{ ...pause, source: 'Command' }]);
    expect(unreadable.map(({ sk }) => sk)).toEqual(['PAUSE#Everything#', 'PAUSE#All#']);
  });

  it('that have ended are not read, however long DynamoDB keeps them', () => {
    const [ended, lasts] = [NOW, addTime(NOW, seconds(1))].map((until) => ({ ...pause, until }));
    expect(readPauses([item(ended), item(lasts)], NOW).pauses).toMatchObject([lasts!]);
  });

  it('are found by their node group, which may have a # in its name', () => {
    const [web, other] = [groupName('web#a'), groupName('a')];
    const { sk } = pauseKey(WEB, { part: 'All', group: web });
    expect([isPauseOf(sk, web), isPauseOf(sk, other)]).toEqual([true, false]);
  });
});
