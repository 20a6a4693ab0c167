import * as z from 'zod';
import type {
  Decision,
  PodOutcomeKind,
  ScaleDownDecision,
  ScaleUpResult,
  SkipReason,
  UnexpectedError,
  UnremovableReason,
} from '../../core/model/decision.ts';
import { closed, table } from './document.ts';
import { failureClass } from './names.ts';
import { API_VERSION } from './scenario.ts';
import { state } from './state.ts';
import { time } from './time.ts';

// The order of fields is part of the format: the same decision is to be the same bytes wherever it was made. A decision is
// written whatever it says, so names may be empty and numbers of any size.

const text = z.string();
const figure = z.custom<number>().meta({ type: 'number' });
const many = <T>(item: z.ZodType<T>) => z.array(item, 'a list');
/** Every word of a union, checked to be all of them by the type. */
const words = <T extends string>(all: Readonly<Record<T, true>>) => z.enum(Object.keys(all) as T[]);
/** Left out where there is nothing to say. */
const unlessNull = z.codec(text.optional(), z.custom<string | null>(), {
  decode: (given) => given ?? null,
  encode: (value) => value ?? undefined,
});

const increase = closed({ group: text, from: figure, to: figure });

const podOutcome = closed({
  pod: text,
  outcome: words<PodOutcomeKind>({
    Triggered: true,
    Fits: true,
    Awaiting: true,
    Unschedulable: true,
    Ignored: true,
    UnexpectedError: true,
  }),
  group: text.optional(),
  reasons: many(closed({ group: text.optional(), reason: text })).optional(),
});

const skippedGroup = closed({
  group: text,
  reason: words<SkipReason>({
    BackedOff: true,
    Unhealthy: true,
    LaunchSuspended: true,
    MaxSizeReached: true,
    ResourceLimitExceeded: true,
    NoTemplate: true,
    NotSimulated: true,
    Invalid: true,
    UnexpectedError: true,
  }),
  class: failureClass.optional(),
  until: time.optional(),
  message: text.optional(),
});

const consideredOption = closed({
  group: text,
  nodes: figure,
  pods: figure,
  waste: figure,
  priority: figure.optional(),
  price: figure.optional(),
  priceScore: figure.optional(),
  similarGroups: many(text),
  cutShort: z.boolean().optional(),
});

const scaleUp = closed({
  result: words<ScaleUpResult>({
    NotEvaluated: true,
    ScaledUp: true,
    NotNeeded: true,
    NoOptions: true,
    Limited: true,
    Cooldown: true,
    ClusterUnhealthy: true,
    NotTried: true,
    UnexpectedError: true,
  }),
  increases: many(increase),
  pods: many(podOutcome),
  upcoming: table(figure),
  skippedGroups: many(skippedGroup),
  daemonsLeftOut: many(closed({ daemonSet: text, group: text, groups: figure, reason: text })).optional(),
  considered: many(closed({ options: many(consideredOption), winner: text, why: text, split: many(increase) })),
  plan: closed({
    cost: figure,
    firstFitCost: figure,
    bound: figure.nullable().default(null),
    basis: z.enum(['price', 'size']),
    method: text,
    tried: figure,
  })
    .nullable()
    .default(null),
  predicted: closed({
    pods: figure.nullable().default(null),
    nodes: figure.nullable().default(null),
    cost: figure.nullable().default(null),
    bought: z.boolean(),
    why: text,
  })
    .nullable()
    .default(null),
});

const removal = closed({
  node: text,
  group: text,
  kind: z.enum(['empty', 'drain']),
  pods: many(text),
  destinations: many(closed({ node: text, pods: figure })),
});

const unremovable = closed({
  node: text,
  reason: words<UnremovableReason>({
    ScaleDownDisabledAnnotation: true,
    ScaleDownUnreadyDisabled: true,
    NotAutoscaled: true,
    NotUnneededLongEnough: true,
    NotUnreadyLongEnough: true,
    NodeGroupMinSizeReached: true,
    NodeGroupMaxDeletionCountReached: true,
    NodeGroupScaleDownDisabled: true,
    NodeGroupUpdating: true,
    AtomicScaleDownFailed: true,
    MinimalResourceLimitExceeded: true,
    CurrentlyBeingDeleted: true,
    NotUnderutilized: true,
    NotUnneededOtherReason: true,
    RecentlyUnremovable: true,
    NoPlaceToMovePods: true,
    BlockedByPod: true,
    BlockedByOnCompletionPod: true,
    Unreadable: true,
    UnexpectedError: true,
  }),
  pod: text.optional(),
  podReason: text.optional(),
  message: text.optional(),
});

const scaleDown = closed({
  result: words<ScaleDownDecision['result']>({
    NotEvaluated: true,
    Planned: true,
    Nothing: true,
    Cooldown: true,
    Disabled: true,
    ClusterUnhealthy: true,
    UnexpectedError: true,
  }),
  unneeded: many(text),
  removals: many(removal),
  unremovable: many(unremovable),
  message: unlessNull,
  awaitsScaleUp: z.literal(true).optional(),
});

const nodeCounts = {
  registered: figure,
  ready: figure,
  unready: figure,
  notStarted: figure,
  unregistered: figure,
  longUnregistered: figure,
  deleted: figure,
  suspended: figure,
};

const groupReport = closed({
  healthy: z.boolean(),
  target: figure,
  ...nodeCounts,
  acceptable: closed({ min: figure, max: figure, current: figure }),
  incorrectSize: closed({ current: figure, expected: figure, firstObserved: time }).nullable().default(null),
  backoffUntil: time.nullable().default(null),
  warnings: many(z.enum(['ZonesRebalanced'])).optional(),
});

const repair = z.discriminatedUnion('kind', [
  closed({ kind: z.enum(['DeleteUnregistered', 'DeleteErrored']), group: text, instance: text }),
  closed({ kind: z.enum(['DecreaseTarget', 'IncreaseToMin']), group: text, from: figure, to: figure }),
]);

const registry = closed({
  clusterHealthy: z.boolean(),
  totals: closed(nodeCounts),
  groups: table(groupReport),
  repairs: many(repair),
});

/** Without the stack, which is another one in every build. */
const unexpectedError = z.codec(
  closed({
    during: z.enum(['Registry', 'ScaleUp', 'ScaleDown', 'Fit']),
    pod: text.optional(),
    pods: figure.optional(),
    node: text.optional(),
    group: text.optional(),
    rule: text.optional(),
    object: text.optional(),
    message: text,
  }),
  z.custom<UnexpectedError>(),
  { decode: (error) => ({ ...error, stack: '' }) as UnexpectedError, encode: (error) => error },
);

/** What one evaluation decides. */
export const decision = z.codec(
  closed({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal('Decision'),
    metadata: closed({ name: text }),
    evaluation: z.enum(['ScaleUp', 'ScaleDown']).optional(),
    scaleUp,
    scaleDown,
    registry,
    state,
    fit: many(closed({ pod: text, nodes: table(text) })).optional(),
    unexpectedErrors: many(unexpectedError).optional(),
    omitted: many(text).optional(),
  }),
  z.custom<Decision>(),
  {
    decode: ({ metadata, scaleUp: up, scaleDown: down, registry: report, state: next, ...more }) => {
      const { fit, unexpectedErrors, omitted } = more;
      const decided = { scaleUp: up, scaleDown: down, registry: report, state: next, fit, unexpectedErrors, omitted };
      return { name: metadata.name, ...decided } as unknown as Decision;
    },
    encode: ({ name, ...decided }) =>
      ({ apiVersion: API_VERSION, kind: 'Decision', metadata: { name }, ...decided }) as never,
  },
);
