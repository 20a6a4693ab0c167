import { describe, expect, test } from 'vitest';
import { capacityText } from '../../../core/model/capacity-schedule.ts';
import { explainInvalid, type Invalid } from '../../../providers/manifest/invalid.ts';
import { capacitySchedules, parseCapacitySchedules } from '../../../providers/schema/capacity-schedules.ts';
import { readBy, writeBy } from '../../../providers/schema/read.ts';

const read = (raw: unknown) => {
  const problems: Invalid[] = [];
  return { values: readBy(capacitySchedules, raw, 'it', problems), complaints: problems.map(explainInvalid) };
};

const DAY = { schedule: '0 8 * * 1-5', duration: '10h' };

describe('capacity schedules', () => {
  test.each<[unknown, readonly string[]]>([
    ['', []],
    ['3 from 0 8 * * 1-5 for 10h in europe/berlin', ['3 from 0 8 * * 1-5 for 10h in Europe/Berlin']],
    [
      '40 cpu from @daily for 1h; 100Gi memory from @daily for 2h',
      ['40 cpu from @daily for 1h', '100Gi memory from @daily for 2h'],
    ],
    ['100gi memory from @daily for 2h', ['100Gi memory from @daily for 2h']],
    [{ nodes: 3, ...DAY }, ['3 from 0 8 * * 1-5 for 10h']],
    [
      [{ cpu: 2.5, ...DAY, timeZone: 'Asia/Tokyo' }, '1 from @hourly for 5m'],
      ['2.5 cpu from 0 8 * * 1-5 for 10h in Asia/Tokyo', '1 from @hourly for 5m'],
    ],
  ])('%j are %j', (raw, texts) => {
    const { values, complaints } = read(raw);
    expect(complaints).toEqual([]);
    expect(values?.map(capacityText)).toEqual(texts);
    expect(readBy(capacitySchedules, writeBy(capacitySchedules, values!), '', [])).toEqual(values);
  });

  test.each<[unknown, string]>([
    [
      '3',
      'it: expected a capacity schedule such as 3 from 0 8 * * 1-5 for 10h in Europe/Berlin, or with 40 cpu or 100Gi memory in place of 3, found "3"',
    ],
    ['many from @daily for 1h', 'it.nodes: expected a number of nodes of at least 1, found NaN'],
    [{ nodes: 0, ...DAY }, 'it.nodes: expected a number of nodes of at least 1, found 0'],
    [{ cpu: 'x', ...DAY }, 'it.cpu: expected an amount of cpu such as 40, found "x"'],
    [{ nodes: 3 }, 'it: expected schedule and duration: when it is in force, found an object'],
    [{ ...DAY }, 'it: expected one of nodes, cpu and memory, found none of them'],
    [{ nodes: 3, cpu: 3, ...DAY }, 'it: expected one of nodes, cpu and memory, found several'],
  ])('%j are refused', (raw, complaint) => {
    expect(read(raw).complaints).toEqual([complaint]);
  });

  test('of a tag that cannot be read say what was expected', () => {
    expect(parseCapacitySchedules('3 from @daily for 1h in Berlin')).toEqual({
      ok: false,
      error: expect.stringContaining('timeZone: expected a time zone of the IANA database such as Europe/Berlin'),
    });
  });
});
