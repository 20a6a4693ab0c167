import { describe, expect, it } from 'vitest';
import type { ExternalChoice } from '../../../../core/model/external-choice.ts';
import { groupName } from '../../../../core/model/values/names.ts';
import { createChooser } from '../../../../core/scaleup/expanders/chooser.ts';
import { chosen, context } from './chosen.ts';
import { option } from './option.ts';

const OPTIONS = [option('b', { nodes: 2, pods: 5 }), option('a', { nodes: 1, pods: 5 }), option('c', { pods: 4 })];
const asked = (group: string, nodes: number, pods: number) => ({ group: groupName(group), nodes, pods });
const ALL = [asked('c', 1, 4), asked('a', 1, 5), asked('b', 2, 5)];
const answered = (groups: readonly string[], given: Partial<ExternalChoice> = {}): ExternalChoice => ({
  options: ALL,
  chosen: groups.map(groupName),
  error: null,
  ...given,
});
const by = (chain: readonly string[], ...externalChoices: readonly ExternalChoice[]) =>
  chosen(chain, OPTIONS, { externalChoices });

describe('the external expander', () => {
  it('has the groups win that the answer names, whatever the order of its options', () => {
    expect(by(['external'], answered(['b']))).toEqual({ winners: ['b'], why: 'external: chose b' });
    expect(by(['external', 'least-nodes'], answered(['b', 'a']))).toEqual({
      winners: ['a'],
      why: 'external: chose a, b; least-nodes: 1 node, the next best 2',
    });
  });

  it('leaves the choice to the next one after an answer that is of no use, which it names', () => {
    const { winners, why } = by(['external', 'most-pods', 'least-nodes'], answered([], { error: 'no answer in time' }));
    expect(winners).toEqual(['a']);
    expect(why).toMatch(/^external: not used, no answer in time; most-pods: 2 groups help 5 pods/);
  });

  it.each([
    ['no answer', []],
    ['the answer to other groups', [answered(['b'], { options: ALL.slice(1) })]],
    ['the answer to other numbers of nodes', [answered(['b'], { options: [ALL[0]!, asked('a', 2, 5), ALL[2]!] })]],
  ])('with %s is to be asked, and the next one chooses', (_, choices) => {
    const chooser = createChooser(['external', 'least-nodes', 'most-pods'], context({ externalChoices: choices }));
    const { winner, unanswered, why } = chooser.choose(OPTIONS, () => 0);
    expect(winner.group.name).toBe('a');
    expect(unanswered.map(({ group }) => group.name)).toEqual(['a', 'b', 'c']);
    expect(why).toMatch(/^external: not asked; least-nodes/);
  });

  it('is asked about the options that the expanders before it leave, and not about a single one', () => {
    const chooser = createChooser(['most-pods', 'external'], context());
    expect(chooser.choose(OPTIONS, () => 0).unanswered.map(({ group }) => group.name)).toEqual(['a', 'b']);
    expect(
      createChooser(['least-nodes', 'most-pods', 'external'], context()).choose(OPTIONS, () => 0).unanswered,
    ).toEqual([]);
  });

  it('has no estimate given up, as it may choose any, and no word before the number of nodes is known', () => {
    const chooser = createChooser(['external', 'least-nodes'], context({ externalChoices: [answered(['b'])] }));
    expect(chooser.stopRule).toBeNull();
    expect(chooser.preferred(OPTIONS.slice(0, 2), () => 0).name).toBe('a');
  });
});
