import { expect, test } from 'vitest';
import type { Decision } from '../../../core/model/decision.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { group, NOW } from '../../scenario-builders.ts';
import { mayGrow } from './replaced-at-once.ts';

const A = groupName('a');
const B = groupName('b');
const POOL = { name: 'red', groups: [A, B], units: 4 };

test.each<{ what: string; raised: readonly string[]; salvo: boolean; helps: readonly string[]; open: string | null }>([
  { what: 'none is raised', raised: [], salvo: false, helps: ['a', 'b'], open: 'a' },
  { what: 'none is raised, and one is of no use', raised: [], salvo: false, helps: ['b'], open: 'b' },
  { what: 'the one that helps is raised', raised: ['a'], salvo: false, helps: ['a', 'b'], open: 'a' },
  { what: 'another one than that which helps is raised', raised: ['a'], salvo: false, helps: ['b'], open: null },
  { what: 'several may be raised at once', raised: ['a'], salvo: true, helps: ['b'], open: 'b' },
  { what: 'one of another pool is raised', raised: ['c'], salvo: false, helps: ['a'], open: null },
  { what: 'one of another pool is raised as well', raised: ['c'], salvo: true, helps: ['a'], open: 'a' },
])('where $what, $open may grow', ({ raised, salvo, helps, open }) => {
  const seen = {
    now: NOW,
    nodeGroups: ['a', 'b', 'c'].map((name) => group(name, { max: 9 })),
    options: { ...defaultOptions(), salvoScaleUp: salvo },
  };
  const increases = raised.map((name) => ({ group: groupName(name), from: 0, to: 1 }));
  const decision = { scaleUp: { result: 'ScaledUp', increases, skippedGroups: [] }, state: EMPTY_STATE };
  expect(mayGrow(seen, decision as unknown as Decision, POOL, (name) => helps.includes(name))).toBe(open);
});
