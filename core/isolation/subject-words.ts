import type { UnexpectedError } from '../model/decision.ts';

/** What an unexpected error is about, in words: `pod default/web-1 and 2 more, node n1, drain rule pdb`. */
export function subjectOf({ pod, pods = 1, node, group, rule, object }: Omit<UnexpectedError, 'stack'>): string {
  const parts = [
    ...(pod === undefined ? [] : [`pod ${pod}${pods > 1 ? ` and ${pods - 1} more` : ''}`]),
    ...(node === undefined ? [] : [`node ${node}`]),
    ...(group === undefined ? [] : [`node group ${group}`]),
    ...(object === undefined ? [] : [object]),
    ...(rule === undefined ? [] : [`drain rule ${rule}`]),
  ];
  return parts.length === 0 ? 'all of it' : parts.join(', ');
}
