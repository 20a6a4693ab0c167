import { hashOfToken } from '@outrigger/providers/kubernetes/webhook-token.ts';
import { chanceFor, HEX } from '../chance.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import { watchReadyNodes } from '../cluster/ready-nodes.ts';
import { queueTime } from './queue-time.ts';
import type { SimulatedWorld } from '../world.ts';
import { virtualClock } from './virtual-clock.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/dispatch.ts';
import { announcedBy } from './instance-events.ts';
import { readyNodeCall, webhookCall, launchUnsuccessful } from './lambda-events.ts';
import { LAMBDA_RULES, STREAM, type StreamReading, WAKE_UPS } from '../../runtime/lambda-rules.ts';
import { IN_PROCESS, type FunctionNetwork } from '../../runtime/network.ts';

/** From a function to the queue. */
const SEND: Span = { min: 5, max: 20 };
/** From an API server's call, or a stream's record, to the function's start. */
const INVOCATION: Span = { min: 15, max: 60 };
/** From a failed launch, through EventBridge, to the function's start. */
const EVENT_BUS: Span = { min: 400, max: 1_500 };
/** As in the stack. */
const SCHEDULE_MS = 60_000;

/** A network with AWS's latencies, drawn from the seed, in which every message arrives. */
export function simulatedNetwork(seed: number): FunctionNetwork {
  const chance = chanceFor(seed, 'functions');
  return {
    ...IN_PROCESS,
    sendMs: () => chance.within(SEND),
    invocationMs: () => chance.within(INVOCATION),
    eventBusMs: () => chance.within(EVENT_BUS),
  };
}

export interface SimulatedRuntimeOptions extends Omit<
  RuntimeOptions,
  | 'cluster'
  | 'clock'
  | 'queueTime'
  | 'tokenHashes'
  | 'scheduleMs'
  | 'dryRun'
  | 'rules'
  | 'stream'
  | keyof typeof WAKE_UPS
> {
  readonly cluster: Pick<RuntimeOptions['cluster'], 'name' | 'options'>;
  readonly world: SimulatedWorld;
  readonly seed: number;
  /** As with `webhook: none` if `false`: the API server does not call the webhook. Absent: `true`. */
  readonly webhook?: boolean;
  /** As with `mode: observe`: nothing is changed. Absent: `false`. */
  readonly dryRun?: boolean;
  /** Absent: as in the stack. */
  readonly stream?: StreamReading;
  /** The additional time in milliseconds until wake-ups that wait are received; absent: none. */
  readonly queueDelay?: () => number;
}

/**
 * Starts Outrigger's functions for a simulated world, in its virtual time: its API server calls the webhook when a pod
 * is unschedulable and when a node is ready that awaits its pods, and failed launches and what AWS announces about instances are reported on the event bus.
 */
export function startSimulatedRuntime({
  world,
  seed,
  queueDelay = () => 0,
  dryRun = false,
  webhook = true,
  ...options
}: SimulatedRuntimeOptions): Runtime {
  const { provider, reader, writer, groups, terminations } = world;
  const { name } = options.cluster;
  const time = queueTime(world.clock, chanceFor(seed, 'queue'));
  const token = chanceFor(seed, 'token').text(32, HEX);
  const runtime = createRuntime({
    ...WAKE_UPS,
    stream: STREAM,
    ...options,
    cluster: { ...options.cluster, provider, reader, writer, groups, terminations },
    clock: virtualClock(world.clock),
    queueTime: { ...time, delivery: () => time.delivery() + queueDelay() },
    tokenHashes: webhook ? [hashOfToken(token)] : [],
    rules: LAMBDA_RULES,
    scheduleMs: SCHEDULE_MS,
    dryRun,
  });
  if (webhook) {
    callWebhook(world, runtime, `/${token}/${name}`);
  }
  reportEvents(world, runtime);
  runtime.start();
  return runtime;
}

/** @param path of the webhook: `/<token>/<cluster>` */
function callWebhook({ clock, api, onFailedScheduling }: SimulatedWorld, runtime: Runtime, path: string): void {
  onFailedScheduling((failed) =>
    runtime.callWebhook('a FailedScheduling event', webhookCall(path, failed, clock.now())),
  );
  watchReadyNodes(api, (node) =>
    runtime.callWebhook(`a ready node (${node.name})`, readyNodeCall(path, node, clock.now())),
  );
}

function reportEvents({ provider, onEvent }: SimulatedWorld, runtime: Runtime): void {
  onEvent((event) => {
    // Cluster API has no event bus: a failed Machine is found at the next evaluation.
    if (event.kind === 'LaunchFailed' && provider === 'aws') {
      runtime.report('a launch failure', launchUnsuccessful(event.at));
    }
    const announced = announcedBy(event);
    for (const one of announced?.events ?? []) {
      runtime.report(`event ${one.id}`, one);
    }
  });
}
