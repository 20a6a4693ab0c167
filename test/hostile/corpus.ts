import type { Case, Quirk, Recipe, Settings, Victim } from './recipes.ts';

const PLAIN = { groups: 1, together: 0, spare: 0, request: 'none' } as const;
const SETTINGS: Settings = {
  expander: 'least-waste',
  consolidation: 'off',
  plannedPlacement: false,
  headroom: 250,
  quota: 'none',
};

/** The last node is used little, and its pod fits the first. */
const QUIET: Victim = { ...PLAIN, nodes: [[2, 1], [1]], pending: [] };
/** There is room on the node that is there. */
const WAITING: Victim = { ...PLAIN, nodes: [[], []], pending: [4, 4] };
/** There is none. */
const FULL: Victim = { ...PLAIN, nodes: [[4], [4]], pending: [2] };

const pods = (
  place: Extract<Recipe, { kind: 'pods' }>['place'],
  quirks: readonly Quirk[],
  more: { readonly count?: number; readonly cpu?: number } = {},
): Recipe => ({ kind: 'pods', place, count: 1, node: 1, cpu: 0, quirks, ...more });
const found = (victim: Victim, ...hostile: readonly Recipe[]): Case => ({
  victim,
  hostile,
  encoding: 'json',
  table: true,
  settings: SETTINGS,
});

const SAFE_TO_EVICT: Quirk = { kind: 'annotation', key: 3, value: 0 };

/** A small case of each class of faults that the check has found (`docs/hostile-objects.md`). */
export const CORPUS: readonly (readonly [what: string, given: Case])[] = [
  ['a duration beyond what times can hold', found(QUIET, pods('bound', [{ kind: 'annotation', key: 0, value: 4 }]))],
  [
    'digits without end where a duration is read',
    found(FULL, pods('pending', [{ kind: 'annotation', key: 2, value: 18 }])),
  ],
  [
    "a claim's name that is repeated in the reason",
    found(FULL, pods('pending', [{ kind: 'claim', text: 6, count: 1 }], { count: 2 })),
  ],
  [
    'evicted pods whose annotations are more than the state holds',
    found(QUIET, pods('bound', [{ kind: 'annotations', count: 1, length: 261_000 }, SAFE_TO_EVICT], { count: 20 })),
  ],
  [
    'a pod with more labels than a stored drain holds',
    found(QUIET, pods('bound', [{ kind: 'labels', count: 12_000 }, SAFE_TO_EVICT])),
  ],
  [
    'such a pod that comes to a node that is drained',
    found(QUIET, pods('late', [{ kind: 'labels', count: 12_000 }, SAFE_TO_EVICT])),
  ],
  [
    "an owner's name that is a path, late",
    found(QUIET, pods('late', [{ kind: 'owner', name: 1, of: 0, uid: 0 }, SAFE_TO_EVICT])),
  ],
  [
    "an owner's name that leaves its path, late",
    found(QUIET, pods('late', [{ kind: 'owner', name: 2, of: 0, uid: 0 }, SAFE_TO_EVICT])),
  ],
  [
    "a claim's name that is a path, late",
    found(QUIET, pods('late', [{ kind: 'claim', text: 1, count: 1 }, SAFE_TO_EVICT])),
  ],
  [
    'a grace period of 2^63 - 1 seconds',
    found(WAITING, pods('bound', [{ kind: 'integer', field: 0, value: 0 }], { cpu: 4 })),
  ],
  ['a DaemonSet that fits no node', found(FULL, { kind: 'daemonSet', cpu: 1, count: 1, quirks: [] })],
  [
    'a DaemonSet whose pod is too much to follow',
    found(FULL, { kind: 'daemonSet', cpu: 0, count: 1, quirks: [{ kind: 'claim', text: 6, count: 1 }] }),
  ],
  [
    'a DaemonSet that keeps away from all pods',
    found(FULL, {
      kind: 'daemonSet',
      cpu: 0,
      count: 1,
      quirks: [{ kind: 'podTerms', where: 0, count: 1, selector: 9 }],
    }),
  ],
  ['a DaemonSet that takes most of a node', found(FULL, { kind: 'daemonSet', cpu: 6, count: 1, quirks: [] })],
  [
    'a DaemonSet that takes most of a node and is gated',
    found(FULL, { kind: 'daemonSet', cpu: 6, count: 1, quirks: [{ kind: 'gates', count: 1 }] }),
  ],
  [
    'a DaemonSet that takes most of a node and has no claim',
    found(FULL, { kind: 'daemonSet', cpu: 6, count: 1, quirks: [{ kind: 'claim', text: 0, count: 1 }] }),
  ],
  [
    'thousands of anti-affinity terms beside thousands of pods',
    found(
      FULL,
      pods('bound', [{ kind: 'podTerms', where: 0, count: 8_000, selector: 0 }]),
      pods('bound', [], { count: 2_000 }),
    ),
  ],
  [
    'thousands of spread constraints',
    found(FULL, pods('pending', [{ kind: 'spread', count: 6_000, hard: true }]), pods('bound', [], { count: 2_000 })),
  ],
  [
    'many pods with a thousand resources of their own each',
    found(FULL, pods('pending', [{ kind: 'resources', count: 1_000 }], { count: 150 })),
  ],
  [
    "another's Job, claimed by its uid",
    found(
      { ...FULL, pending: [], together: 2 },
      pods('pending', [{ kind: 'owner', name: 0, of: 3, uid: 1 }, { kind: 'together' }], { cpu: 5 }),
    ),
  ],
];
