import fc from 'fast-check';
import { EXPANDERS, type ExpanderName, type Options } from '../../core/model/options.ts';

/**
 * Contents of a case, in a few small values: a failing case shrinks, and is printed, as its recipe, and not as the
 * megabytes that are made of it (`objects.ts`).
 */
export interface Case {
  readonly victim: Victim;
  readonly hostile: readonly Recipe[];
  /** How the API server answers for pods. */
  readonly encoding: 'json' | 'protobuf';
  /** Are state, decisions and drains written through DynamoDB's codecs, with its limits? */
  readonly table: boolean;
  readonly settings: Settings;
}

/** Choices of administrators. */
export interface Settings {
  readonly expander: ExpanderName;
  readonly consolidation: Options['consolidation'];
  readonly plannedPlacement: boolean;
  /** `maxHeadroomPerNamespace`. */
  readonly headroom: number;
  /** The ResourceQuota of the hostile namespace: on pods, of which it leaves as many as that, or on limits that no pod names. */
  readonly quota: number | 'limits' | 'none';
}

/** An ordinary workload in a namespace of its own. Sizes are whole CPUs of nodes that have four, and divide each other. */
export interface Victim {
  readonly groups: 1 | 2;
  /** The pods on each node that is there. */
  readonly nodes: readonly (readonly Size[])[];
  readonly pending: readonly Size[];
  /** The number of pods of one Job that go together, in addition. */
  readonly together: number;
  /** Virtual pods of one CPU of a CapacityBuffer. */
  readonly spare: number;
  /** A ProvisioningRequest for two pods of two CPUs: new, refused half an hour ago, or with capacity that is held for it. */
  readonly request: 'none' | 'new' | 'refused' | 'booked';
}
export type Size = 1 | 2 | 4;

/** Objects that a user with the role `edit` in one namespace can create there. */
export type Recipe =
  | {
      readonly kind: 'pods';
      /**
       * Waiting for a node; bound by `spec.nodeName` to one of the victim's; bound to a node once that is being drained;
       * or bound, deleted, and kept by a finalizer.
       */
      readonly place: 'pending' | 'bound' | 'late' | 'terminating';
      readonly count: number;
      readonly node: number;
      readonly cpu: number;
      readonly quirks: readonly Quirk[];
    }
  | { readonly kind: 'budgets'; readonly count: number; readonly length: number; readonly all: boolean }
  | { readonly kind: 'daemonSet'; readonly cpu: number; readonly count: number; readonly quirks: readonly Quirk[] }
  | {
      readonly kind: 'workload';
      readonly of: 'ReplicaSet' | 'StatefulSet' | 'Job' | 'ReplicationController';
      readonly replicas: number;
      readonly cpu: number;
      readonly quirks: readonly Quirk[];
    }
  | { readonly kind: 'claims'; readonly count: number; readonly text: number; readonly size: number }
  /** Beside the user's objects: an Auto Scaling group with an odd tag and an odd launch template, which launches nothing. */
  | { readonly kind: 'group'; readonly key: number; readonly value: number; readonly launch: number }
  /** The priority expander's ConfigMap. */
  | { readonly kind: 'priorities'; readonly value: number }
  /** The kubelet of one of the victim's nodes states other amounts than its instance has. */
  | { readonly kind: 'node'; readonly node: number; readonly cpu: number; readonly memory: number }
  /** MachineDeployments in the user's namespace of a management cluster, for a Cluster of the user's. */
  | { readonly kind: 'machines'; readonly count: number; readonly cluster: number; readonly price: number }
  /** CapacityBuffers with a PodTemplate, or that follow some workload. */
  | {
      readonly kind: 'buffers';
      readonly count: number;
      readonly replicas: number;
      readonly by: 'replicas' | 'limits' | 'scalable';
      readonly cpu: number;
      readonly quirks: readonly Quirk[];
    }
  /** ProvisioningRequests; capacity is held for those that are booked, as far as their namespace may have it. */
  | {
      readonly kind: 'requests';
      readonly count: number;
      readonly pods: number;
      readonly sets: number;
      readonly booked: boolean;
      readonly text: number;
      readonly cpu: number;
      readonly quirks: readonly Quirk[];
    };

/** Oddity of a pod, or a template of one. Numbers that are not counts choose from the lists in `objects.ts`. */
export type Quirk =
  | { readonly kind: 'annotation'; readonly key: number; readonly value: number }
  | { readonly kind: 'annotations'; readonly count: number; readonly length: number }
  | { readonly kind: 'labels'; readonly count: number }
  | { readonly kind: 'integer'; readonly field: number; readonly value: number }
  | { readonly kind: 'quantity'; readonly resource: number; readonly value: number }
  /** Extended resources that no other pod names. */
  | { readonly kind: 'resources'; readonly count: number }
  | { readonly kind: 'podTerms'; readonly where: number; readonly count: number; readonly selector: number }
  | { readonly kind: 'nodeTerms'; readonly preferred: boolean; readonly count: number; readonly each: number }
  | { readonly kind: 'spread'; readonly count: number; readonly hard: boolean }
  | { readonly kind: 'tolerations'; readonly count: number }
  | { readonly kind: 'nodeSelector'; readonly count: number }
  | { readonly kind: 'owner'; readonly name: number; readonly of: number; readonly uid: number }
  | { readonly kind: 'claim'; readonly text: number; readonly count: number }
  | { readonly kind: 'volumes'; readonly count: number; readonly source: number }
  | { readonly kind: 'containers'; readonly count: number; readonly init: boolean }
  | { readonly kind: 'hostPorts'; readonly count: number }
  | { readonly kind: 'gates'; readonly count: number }
  | { readonly kind: 'name'; readonly text: number }
  | { readonly kind: 'finalizer' }
  | { readonly kind: 'stubborn' }
  | { readonly kind: 'priority'; readonly value: number }
  | { readonly kind: 'scheduler'; readonly text: number }
  | { readonly kind: 'together' };

/** Sizes of a case's parts: few of everything in most cases, in others as many as an object of 1.5 MB holds. */
interface Sizes {
  readonly count: (most: number) => fc.Arbitrary<number>;
  /** Index in a list whose first texts, `short` in number, are short. */
  readonly text: (short: number) => fc.Arbitrary<number>;
  /** Characters of an annotation. */
  readonly length: fc.Arbitrary<number>;
  readonly pods: fc.Arbitrary<number>;
  /** Buffers and requests. */
  readonly askers: fc.Arbitrary<number>;
}
const SMALL: Sizes = {
  count: (most) =>
    fc.oneof(
      { arbitrary: fc.integer({ min: 1, max: Math.min(4, most) }), weight: 12 },
      { arbitrary: fc.constantFrom(...[63, 64, 65].filter((n) => n <= most), 1), weight: 1 },
    ),
  text: (short) => fc.nat(short - 1),
  length: fc.constantFrom(0, 1, 120),
  pods: fc.constantFrom(1, 1, 1, 1, 1, 1, 2),
  askers: fc.constantFrom(1, 1, 3, 60),
};
const LARGE: Sizes = {
  count: (most) =>
    fc.oneof(
      { arbitrary: fc.integer({ min: 1, max: Math.min(130, most) }), weight: 4 },
      { arbitrary: fc.constant(Math.min(1_000, most)), weight: 2 },
      { arbitrary: fc.constant(most), weight: 1 },
    ),
  text: (short) => fc.oneof(fc.nat(short - 1), fc.integer({ min: short, max: 39 })),
  length: fc.constantFrom(120, 262_000),
  pods: fc.constantFrom(1, 1, 1, 2, 20),
  askers: fc.constantFrom(1, 60, 3_000),
};
/** A case in this many is a large one. */
const LARGE_EVERY = 50;

/** Chooses from a list whose length is not known here. */
const choice = fc.nat(39);

const quirkOf = ({ count, text, length }: Sizes): fc.Arbitrary<Quirk> =>
  fc.oneof(
    { arbitrary: fc.record({ kind: fc.constant('annotation' as const), key: choice, value: text(18) }), weight: 10 },
    { arbitrary: fc.record({ kind: fc.constant('integer' as const), field: choice, value: choice }), weight: 4 },
    {
      arbitrary: fc.record({ kind: fc.constant('owner' as const), name: text(13), of: choice, uid: choice }),
      weight: 4,
    },
    { arbitrary: fc.record({ kind: fc.constant('claim' as const), text: text(6), count: count(1_000) }), weight: 2 },
    { arbitrary: fc.record({ kind: fc.constant('quantity' as const), resource: choice, value: choice }), weight: 2 },
    {
      arbitrary: fc.record({
        kind: fc.constant('podTerms' as const),
        where: choice,
        count: count(10_000),
        selector: choice,
      }),
      weight: 2,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('nodeTerms' as const),
        preferred: fc.boolean(),
        count: count(10_000),
        each: fc.constantFrom(0, 1, 3, 100),
      }),
      weight: 1,
    },
    {
      arbitrary: fc.record({ kind: fc.constant('spread' as const), count: count(10_000), hard: fc.boolean() }),
      weight: 1,
    },
    { arbitrary: fc.record({ kind: fc.constant('tolerations' as const), count: count(10_000) }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant('nodeSelector' as const), count: count(5_000) }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant('labels' as const), count: count(5_000) }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant('annotations' as const), count: count(2_000), length }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant('volumes' as const), count: count(5_000), source: choice }), weight: 1 },
    {
      arbitrary: fc.record({ kind: fc.constant('containers' as const), count: count(2_000), init: fc.boolean() }),
      weight: 1,
    },
    { arbitrary: fc.record({ kind: fc.constant('hostPorts' as const), count: count(5_000) }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant('gates' as const), count: count(1_000) }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant('name' as const), text: choice }), weight: 1 },
    { arbitrary: fc.constant({ kind: 'finalizer' as const }), weight: 1 },
    { arbitrary: fc.constant({ kind: 'stubborn' as const }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant('priority' as const), value: choice }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant('scheduler' as const), text: text(13) }), weight: 1 },
    { arbitrary: fc.constant({ kind: 'together' as const }), weight: 2 },
  );
/** Pods whose terms are each within the limits of what is simulated, and together are not; or with resources of their own. */
const crowd: fc.Arbitrary<Recipe> = fc.record({
  kind: fc.constant('pods' as const),
  place: fc.constantFrom('pending' as const, 'bound' as const),
  count: fc.constant(250),
  node: fc.nat(3),
  cpu: fc.constant(0),
  quirks: fc.tuple(
    fc.oneof(
      {
        arbitrary: fc.record({
          kind: fc.constant('podTerms' as const),
          where: fc.nat(1),
          count: fc.constant(64),
          selector: fc.constantFrom(0, 1, 9),
        }),
        weight: 2,
      },
      { arbitrary: fc.constant({ kind: 'resources' as const, count: 300 }), weight: 1 },
    ),
  ),
});

/** An anti-affinity term for all pods of the cluster. */
const keepingAway: fc.Arbitrary<readonly Quirk[]> = fc.constant([
  { kind: 'podTerms', where: 0, count: 1, selector: 9 },
]);

const recipeOf = (sizes: Sizes): fc.Arbitrary<Recipe> => {
  const { count } = sizes;
  const quirks = fc.array(quirkOf(sizes), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    {
      arbitrary: fc.record({
        kind: fc.constant('pods' as const),
        place: fc.constantFrom(
          'pending' as const,
          'bound' as const,
          'bound' as const,
          'late' as const,
          'terminating' as const,
        ),
        count: sizes.pods,
        node: fc.nat(3),
        cpu: choice,
        quirks,
      }),
      weight: 10,
    },
    { arbitrary: crowd, weight: sizes === LARGE ? 10 : 0 },
    {
      arbitrary: fc.record({
        kind: fc.constant('budgets' as const),
        count: count(3_000),
        length: fc.constantFrom(8, 253),
        all: fc.boolean(),
      }),
      weight: 1,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('daemonSet' as const),
        cpu: choice,
        count: fc.constantFrom(1, 1, 5, 60),
        quirks: fc.oneof({ arbitrary: quirks, weight: 4 }, { arbitrary: keepingAway, weight: 1 }),
      }),
      weight: 2,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('workload' as const),
        of: fc.constantFrom(
          'ReplicaSet' as const,
          'StatefulSet' as const,
          'Job' as const,
          'ReplicationController' as const,
        ),
        replicas: choice,
        cpu: choice,
        quirks,
      }),
      weight: 1,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('claims' as const),
        count: count(500),
        text: sizes.text(6),
        size: choice,
      }),
      weight: 1,
    },
    {
      arbitrary: fc.record({ kind: fc.constant('group' as const), key: choice, value: sizes.text(24), launch: choice }),
      weight: 2,
    },
    { arbitrary: fc.record({ kind: fc.constant('priorities' as const), value: sizes.text(24) }), weight: 1 },
    {
      arbitrary: fc.record({ kind: fc.constant('node' as const), node: fc.nat(3), cpu: choice, memory: choice }),
      weight: 1,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('machines' as const),
        count: fc.constantFrom(1, 1, 3),
        cluster: choice,
        price: choice,
      }),
      weight: 1,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('buffers' as const),
        count: sizes.askers,
        replicas: choice,
        by: fc.constantFrom('replicas' as const, 'replicas' as const, 'limits' as const, 'scalable' as const),
        cpu: choice,
        quirks,
      }),
      weight: 3,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('requests' as const),
        count: sizes.askers,
        pods: choice,
        sets: fc.constantFrom(1, 1, 2, 32),
        booked: fc.boolean(),
        text: sizes.text(13),
        cpu: choice,
        quirks,
      }),
      weight: 3,
    },
  );
};

const size = fc.constantFrom<Size>(1, 2, 4);
/** Pods that fit a node of four CPUs. */
const ofNode = fc.constantFrom<readonly Size[]>([], [1], [1], [2], [1, 1], [2, 1], [2, 2], [4]);

/** Half of the cases ask for nodes, the others leave some to be removed. */
const victim: fc.Arbitrary<Victim> = fc.record({
  groups: fc.constantFrom(1 as const, 2 as const),
  nodes: fc.array(ofNode, { minLength: 1, maxLength: 4 }),
  pending: fc.oneof(fc.constant([]), fc.array(size, { minLength: 1, maxLength: 6 })),
  together: fc.constantFrom(0, 0, 0, 0, 2),
  spare: fc.constantFrom(0, 0, 2),
  request: fc.constantFrom(
    'none' as const,
    'none' as const,
    'none' as const,
    'new' as const,
    'refused' as const,
    'booked' as const,
  ),
});

const settings: fc.Arbitrary<Settings> = fc.record({
  expander: fc.constantFrom(...EXPANDERS),
  consolidation: fc.constantFrom('off' as const, 'off' as const, 'delete' as const, 'replace' as const),
  plannedPlacement: fc.boolean(),
  headroom: fc.constantFrom(3, 3, 30),
  quota: fc.constantFrom('none' as const, 'none' as const, 'limits' as const, 0, 2),
});

const caseOf = (sizes: Sizes): fc.Arbitrary<Case> =>
  fc.record({
    victim,
    hostile: fc.array(recipeOf(sizes), { minLength: 1, maxLength: 3 }),
    encoding: fc.constantFrom('json' as const, 'protobuf' as const),
    // Large texts are what it is for.
    table: sizes === LARGE ? fc.boolean() : fc.nat(15).map((n) => n === 15),
    settings,
  });

export const hostileCase: fc.Arbitrary<Case> = fc.oneof(
  { arbitrary: caseOf(SMALL), weight: LARGE_EVERY - 1 },
  { arbitrary: caseOf(LARGE), weight: 1 },
);
