import { expect, it } from 'vitest';
import type { HeadroomReport } from '../../../core/model/decision.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { headroomText, isShort } from '../../../core/words/headroom.ts';

const about = { source: 'CapacityBuffer', name: 'default/spare' } as const;

it.each<[Omit<HeadroomReport, 'source' | 'name'>, string, boolean]>([
  [{ wanted: 3, fits: 3, triggered: 0 }, '3 of 3 virtual pods have room', false],
  [{ wanted: 8, fits: 5, triggered: 2 }, '5 of 8 virtual pods have room, 2 get a new node', true],
  [
    { wanted: 1, fits: 0, triggered: 0, reasons: [{ group: groupName('a'), reason: 'Insufficient cpu' }] },
    '0 of 1 virtual pods have room; a: Insufficient cpu',
    true,
  ],
  [{ wanted: 0, fits: 0, triggered: 0, problem: 'no template' }, 'no template', true],
])('%j is told as %s', (report, text, short) => {
  expect(headroomText({ ...about, ...report })).toBe(text);
  expect(isShort({ ...about, ...report })).toBe(short);
});
