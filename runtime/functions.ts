import type {
  DynamoDBStreamEvent,
  EventBridgeEvent,
  LambdaFunctionURLEvent,
  LambdaFunctionURLResult,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import { evaluateScaleDown, evaluateScaleUp } from '@outrigger/core/evaluate.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { TimeLimit } from '@outrigger/core/model/time-limit.ts';
import type { IdleRecord } from '@outrigger/core/wakeups/idle-detection.ts';
import type { DurationMs } from '@outrigger/core/model/values/time.ts';
import { createActuate, type Resume } from '../functions/actuate/actuate.ts';
import { createDrain } from '../functions/drain/drain.ts';
import { STEP_MS } from '../functions/drain/step-limits.ts';
import { createIngest } from '../functions/ingest/ingest.ts';
import { type ScaleDownEvent, scaleDownHandler } from '../functions/scale-down/scale-down.ts';
import { createMemory } from '../functions/evaluate/memory.ts';
import { remembering } from '../functions/scale-up/sandbox-memory.ts';
import { scaleUpHandler } from '../functions/scale-up/scale-up.ts';
import type { DrainRound } from '@outrigger/core/ports/executions.ts';
import type { Work } from '../functions/shared/services.ts';
import { createWake } from '../functions/wake/wake.ts';
import type { RuntimeClock } from './clock.ts';
import type { FunctionServices } from './services.ts';

export type FunctionName = 'ingest' | 'wake' | 'scale-up' | 'scale-down' | 'actuate' | 'drain';

/** Called with each decision and the scenario it was made from. */
export type OnDecision = (scenario: Scenario, decision: Decision) => void;

/** A function of Outrigger, for a runtime in this process. */
export interface InProcessFunction<Event, Result> {
  readonly name: FunctionName;
  /** Makes the handler: once, or for each invocation. */
  readonly create: (services: FunctionServices, onDecision: OnDecision) => Work<Event, Result>;
}

export type ScheduleName = 'scale-up' | 'scale-down' | 'resumption';

/** A schedule of EventBridge, and what it starts. */
interface ScheduledTrigger {
  readonly name: ScheduleName;
  /** The name of its messages in logs of the network. */
  readonly label: string;
  readonly fire: (to: Targets) => void;
}

/** The targets of a schedule. */
export interface Targets {
  /** Sends a scan to the wake-up queue. */
  readonly scan: () => void;
  /** Invokes a function. */
  readonly invoke: <Event>(target: InProcessFunction<Event, unknown>, event: Event) => void;
}

/** The function that each trigger starts, as in the stack in `cdk/`. */
export interface Triggers {
  /** Consumes the wake-up queue. */
  readonly queue: InProcessFunction<SQSEvent, SQSBatchResponse>;
  /** Receives new intents from the table's stream. */
  readonly outbox: InProcessFunction<DynamoDBStreamEvent, void>;
  /** Takes drains a round further. */
  readonly drains: InProcessFunction<DrainRound, void>;
  /** Is started by its own schedule, and when a drain has ended. */
  readonly scaleDown: InProcessFunction<ScaleDownEvent, void>;
  /** Is called by the API server. */
  readonly webhook: InProcessFunction<LambdaFunctionURLEvent, LambdaFunctionURLResult>;
  /** Receives AWS's events from the event bus, and those that have arrived from the table's stream. */
  readonly eventBus: InProcessFunction<EventBridgeEvent<string, unknown> | DynamoDBStreamEvent, void>;
  /** Fire in this order when due at the same time. */
  readonly schedules: readonly ScheduledTrigger[];
}

export interface TriggerOptions {
  readonly cluster: ClusterName;
  readonly clock: RuntimeClock;
  /** How long an invocation claims an intent; absent: as on AWS. */
  readonly claim?: DurationMs;
  /** Time limit of one step of a drain; absent: as on AWS, and no longer than there. */
  readonly stepMs?: number;
}

/** The one table of functions and their triggers: a function or a schedule is added here for every runtime. */
export function triggersOf({ cluster, clock, claim, stepMs = STEP_MS }: TriggerOptions): Triggers {
  // Kept between the invocations of one sandbox; a process is one sandbox.
  const remembered = remembering();
  const rests = createMemory<IdleRecord | null>(null);
  const actuate: InProcessFunction<DynamoDBStreamEvent | Resume, void> = {
    name: 'actuate',
    create: (services) => createActuate(services, claim),
  };
  const scaleDown: InProcessFunction<ScaleDownEvent, void> = {
    name: 'scale-down',
    create: (services, onDecision) => scaleDownHandler(services, observed(evaluateScaleDown, onDecision), rests),
  };
  return {
    queue: {
      name: 'scale-up',
      create: (services, onDecision) => scaleUpHandler(services, observed(evaluateScaleUp, onDecision), remembered),
    },
    outbox: actuate,
    scaleDown,
    drains: {
      name: 'drain',
      create: (services) => createDrain(services, { stepMs: Math.min(stepMs, STEP_MS), limit: clock.limit }),
    },
    webhook: { name: 'ingest', create: createIngest },
    eventBus: {
      name: 'wake',
      create: (services) => createWake({ ...services, terminations: services.cluster(cluster)?.terminations }, cluster),
    },
    schedules: [
      { name: 'scale-up', label: 'a scan', fire: ({ scan }) => scan() },
      { name: 'scale-down', label: 'a scale-down scan', fire: ({ invoke }) => invoke(scaleDown, { cluster }) },
      { name: 'resumption', label: 'a resumption', fire: ({ invoke }) => invoke(actuate, { resume: cluster }) },
    ],
  };
}

/** `decide`, with each decision passed to `onDecision`. */
const observed =
  (decide: (scenario: Scenario, limit: TimeLimit) => Decision, onDecision: OnDecision) =>
  (scenario: Scenario, limit: TimeLimit): Decision => {
    const decision = decide(scenario, limit);
    onDecision(scenario, decision);
    return decision;
  };
