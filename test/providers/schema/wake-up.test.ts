import { describe, expect, it } from 'vitest';
import { clusterName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { WINDOW_MS } from '../../../core/wakeups/wake-up.ts';
import { dueMessage, readyNodeMessage, wakeMessage } from '../../../core/wakeups/message.ts';
import { parseWakeUp } from '../../../providers/schema/wake-up.ts';

const web = clusterName('web');
const NOW = epochMs(1_767_268_800_000); // the beginning of a window
const at = (ms: number) => epochMs(NOW + ms);

describe('wake-up messages', () => {
  it('are one per cluster and window', () => {
    const first = wakeMessage(web, at(0));
    expect(wakeMessage(web, at(WINDOW_MS - 1)).deduplicationId).toBe(first.deduplicationId);
    expect(wakeMessage(web, at(WINDOW_MS)).deduplicationId).not.toBe(first.deduplicationId);
    expect(wakeMessage(clusterName('other'), at(0)).deduplicationId).not.toBe(first.deduplicationId);
  });

  it('do not let a recheck take the place of a webhook notification', () => {
    expect(wakeMessage(web, at(0), 1).deduplicationId).not.toBe(wakeMessage(web, at(0)).deduplicationId);
  });

  it.each([
    { attempt: 0, wakeUp: { kind: 'webhook', at: at(7) } },
    { attempt: 1, wakeUp: { kind: 'recheck', at: at(7), attempt: 1 } },
    { attempt: 3, wakeUp: { kind: 'recheck', at: at(7), attempt: 3 } },
  ])('are read as they were written, attempt $attempt', ({ attempt, wakeUp }) => {
    expect(parseWakeUp(wakeMessage(web, at(7), attempt).body)).toEqual({ ok: true, value: { cluster: 'web', wakeUp } });
  });

  it('of ready nodes are one for a window, take no place of others, and are webhook notifications to older versions', () => {
    const message = readyNodeMessage(web, at(7));
    expect(parseWakeUp(message.body)).toEqual({
      ok: true,
      value: { cluster: 'web', wakeUp: { kind: 'ready node', at: at(7) } },
    });
    expect(readyNodeMessage(web, at(WINDOW_MS - 1)).deduplicationId).toBe(message.deduplicationId);
    expect(message.deduplicationId).not.toBe(wakeMessage(web, at(7)).deduplicationId);
    expect(JSON.parse(message.body)).toMatchObject(JSON.parse(wakeMessage(web, at(7)).body) as object);
  });

  it.each([
    { name: 'a scan of the schedule', body: { scan: '2026-01-01T12:00:00Z' }, wakeUp: { kind: 'scan' } },
    {
      name: 'a recheck of an older version',
      body: { at: '2026-01-01T12:00:00Z', look: 2 },
      wakeUp: { kind: 'recheck', at: at(0), attempt: 2 },
    },
    {
      name: 'a recheck for later of an older version',
      body: { at: '2026-01-01T12:00:00Z', look: 1, due: '2026-01-01T12:00:05Z' },
      wakeUp: { kind: 'scheduled', due: at(5_000), attempt: 1 },
    },
  ])('are read as an older version has written them: $name', ({ body, wakeUp }) => {
    expect(parseWakeUp(JSON.stringify({ cluster: 'web', ...body }))).toEqual({
      ok: true,
      value: { cluster: 'web', wakeUp },
    });
  });

  it.each([
    '',
    'x',
    'null',
    '[]',
    '{}',
    '{"cluster":""}',
    '{"cluster":"web","at":"soon"}',
    '{"cluster":"web","look":9}',
    '{"cluster":"web","attempt":9}',
  ])('are refused when they say %j', (body) => {
    expect(parseWakeUp(body)).toMatchObject({ ok: false });
  });
});

describe('wake-ups for later', () => {
  const read = (due: number) => {
    const parsed = parseWakeUp(dueMessage(web, at(0), at(due)).body);
    if (!parsed.ok) {
      throw new Error(parsed.error);
    }
    return parsed.value;
  };

  it('are due at the end of their second', () => {
    expect(read(1_001)).toEqual({ cluster: 'web', wakeUp: { kind: 'scheduled', due: at(2_000), attempt: 0 } });
  });

  it('are one for each second, and block none but those of theirs', () => {
    const [first, same, other] = [1_001, 2_000, 2_001].map((due) => dueMessage(web, at(0), at(due)));
    expect(same).toEqual(first);
    expect(other!.deduplicationId).not.toBe(first!.deduplicationId);
    expect(other!.group).not.toBe(first!.group);
    expect(first!.group).not.toBe(wakeMessage(web, at(0)).group);
  });
});
