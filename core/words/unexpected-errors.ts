import type { UnexpectedError } from '../model/decision.ts';
import type { Words } from './words.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';

const REPORT = 'Report the error as a bug.';

/** The work during which an unexpected error occurred, and the consequence. */
export const UNEXPECTED_ERRORS = {
  Registry: {
    short: 'while nodes were counted',
    sentence: 'The state of the cluster could not be worked out with the named object. It is left out.',
    advice: REPORT,
  },
  ScaleUp: {
    short: 'while scale-up was decided',
    sentence: 'The named pod, node group or node is left out of scale-up.',
    advice: REPORT,
  },
  ScaleDown: {
    short: 'while scale-down was decided',
    sentence: 'The named node is kept; if none is named, all nodes are.',
    advice: REPORT,
  },
  Fit: {
    short: 'while existing nodes were checked',
    sentence: 'The named pod has no row under fit.',
    advice: REPORT,
  },
} satisfies Record<UnexpectedError['during'], Words>;

/** The subject of an unexpected error: `pod default/web-1 and 2 more, node n1, drain rule pdb`. */
export function subjectOf({ pod, pods = 1, node, group, rule, object }: Omit<UnexpectedError, 'stack'>): string {
  const more = pods > 1 ? ` and ${pods - 1} more` : '';
  const parts = presentItems([
    mapOptional(pod, (name) => `pod ${name}${more}`),
    mapOptional(node, (name) => `node ${name}`),
    mapOptional(group, (name) => `node group ${name}`),
    object,
    mapOptional(rule, (name) => `drain rule ${name}`),
  ]);
  return parts.length === 0 ? 'all of it' : parts.join(', ');
}
