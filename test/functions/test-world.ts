import type { DrainRound } from '../../core/ports/executions.ts';
import type { LambdaFunctionURLEvent, SQSEvent } from 'aws-lambda';
import {
  type ClusterName,
  clusterName,
  type GroupName,
  type InstanceId,
  type NodeName,
} from '../../core/model/values/names.ts';
import { withActions } from '../../core/model/cloud-action.ts';
import { type GroupSize, heldInstances, type NodeGroup } from '../../core/model/node-group.ts';
import { defaultOptions, type Options } from '../../core/model/options.ts';
import type { ClusterReader, ClusterWriter } from '../../core/ports/cluster.ts';
import type { SetSizeOutcome, TerminateOutcome, WriteOutcome } from '../../core/model/answers.ts';
import { AWAITING_PODS_TAINT } from '../../core/model/cluster/node.ts';
import type { NodeChange } from '../../core/model/cluster/node-change.ts';
import type { AutoscalerStatus } from '../../core/model/cluster/autoscaler-status.ts';
import type { BufferStatus } from '../../core/model/cluster/capacity-buffer.ts';
import type { RequestStatus } from '../../core/model/cluster/provisioning-request.ts';
import type { Message } from '../../core/model/message.ts';
import type { ClusterEvent } from '../../core/model/cluster/cluster-event.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import { type ClusterObjects, NO_OBJECTS } from '../../core/model/scenario.ts';
import { epochMs, minutes } from '../../core/model/values/time.ts';
import { createMemoryDrains } from '../../providers/memory/drains.ts';
import { createMemoryHistory } from '../../providers/memory/history.ts';
import { createMemoryInbox } from '../../providers/memory/notice-inbox.ts';
import { type MemoryStore, createMemoryStore } from '../../providers/memory/store.ts';
import type { Log, LogFields } from '../../core/ports/observability.ts';
import type { Executions } from '../../core/ports/executions.ts';
import type { Services } from '../../functions/shared/services.ts';
import { NOW } from '../scenario-builders.ts';

export const WEB = clusterName('web');

/** Node groups that only have sizes: what is asked for is there at once. */
export interface TestGroups extends NodeGroups {
  groups: readonly NodeGroup[];
  /** Sizes that were set, in order. */
  readonly calls: [GroupName, number][];
  /** Answers of the next calls of `setSize`, without an effect. */
  readonly failures: SetSizeOutcome[];
  /** Instances that were ended, in order, and whether the target came down with them. */
  readonly terminated: [GroupName, InstanceId, boolean][];
  /** Answers of the next calls of `terminate`, without an effect. */
  readonly terminations: TerminateOutcome[];
  /** Groups whose missing instances were requested. */
  readonly asked: GroupName[];
  /** Groups about whose updates was asked, and those that the cloud is updating. */
  readonly askedForUpdates: GroupName[];
  readonly updating: Set<GroupName>;
  /** How many calls of `setSize` were under way at most. */
  busiest: number;
  resize: (group: GroupName, target: number) => void;
}

export function testGroups(groups: readonly NodeGroup[]): TestGroups {
  let busy = 0;
  const these: TestGroups = {
    groups,
    calls: [],
    failures: [],
    terminated: [],
    terminations: [],
    asked: [],
    askedForUpdates: [],
    updating: new Set(),
    busiest: 0,
    list: async () => these.groups,
    summarize: async () => these.groups,
    withCloudActions: async (listed, asked) => {
      these.askedForUpdates.push(...asked);
      return listed.map((group) =>
        asked.has(group.name) && these.updating.has(group.name) ? withActions(group, ['Updating']) : group,
      );
    },
    withLaunchFailures: async (listed, asked) => {
      these.asked.push(...asked.keys());
      return listed;
    },
    readSize: async (name): Promise<GroupSize | null> => {
      const group = these.groups.find((one) => one.name === name);
      return group === undefined
        ? null
        : { min: group.minSize, max: group.maxSize, target: group.targetSize, held: heldInstances(group).length };
    },
    readInstance: async (name, instance) => {
      const group = these.groups.find((one) => one.name === name);
      const found = group?.instances.find(({ id }) => id === instance);
      return {
        state: found === undefined ? 'gone' : found.state === 'Deleting' ? 'ending' : 'in group',
        size: await these.readSize(name),
      };
    },
    setSize: async (name, size) => {
      busy += 1;
      these.busiest = Math.max(these.busiest, busy);
      // Another turn of the event loop, so that others can come in between as over a network.
      await new Promise(setImmediate);
      busy -= 1;
      const failure = these.failures.shift();
      if (failure !== undefined) {
        return failure;
      }
      these.calls.push([name, size]);
      these.resize(name, size);
      return { kind: 'set' };
    },
    terminate: async (name, instance, decrement) => {
      await new Promise(setImmediate);
      const failure = these.terminations.shift();
      if (failure !== undefined) {
        return failure;
      }
      const group = these.groups.find((one) => one.name === name);
      if (group?.instances.some(({ id }) => id === instance) !== true) {
        return { kind: 'gone' };
      }
      these.terminated.push([name, instance, decrement]);
      these.groups = these.groups.map((one) =>
        one === group
          ? {
              ...one,
              targetSize: one.targetSize - (decrement ? 1 : 0),
              instances: one.instances.filter(({ id }) => id !== instance),
            }
          : one,
      );
      return { kind: 'terminated' };
    },
    resize: (name, target) => {
      these.groups = these.groups.map((group) => (group.name === name ? { ...group, targetSize: target } : group));
    },
  };
  return these;
}

export interface LogLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields;
}

export interface TestWorld extends Services, Executions {
  readonly store: MemoryStore;
  readonly groups: TestGroups;
  /** The objects that the cluster holds now. */
  objects: Partial<ClusterObjects>;
  /** Thrown by the next reads, one each. */
  readonly readErrors: Error[];
  /** Changes asked of nodes, in order. */
  readonly nodeChanges: [NodeName, NodeChange][];
  /** Requests for planned placement, in order: `pod → node`, and the nodes that were released. */
  readonly placed: string[];
  /** Answers of the next nominations, without an effect. */
  readonly nominationFailures: (WriteOutcome | Error)[];
  readonly events: ClusterEvent[];
  /** Messages that were sent to the event bus. */
  readonly sent: Message[];
  readonly statuses: AutoscalerStatus[];
  readonly bufferStatuses: BufferStatus[];
  readonly requestStatuses: RequestStatus[];
  /** Drivers of drains that were started, in order. */
  readonly started: { readonly ids: readonly string[]; readonly attempt: number }[];
  /** Rounds of drains that were sent on, in order. */
  readonly continued: { readonly round: DrainRound; readonly waitMs: number }[];
  /** Clusters whose scale-down was started before its scan, in order. */
  readonly scaleDowns: ClusterName[];
  readonly wakes: {
    readonly cluster: ClusterName;
    readonly attempt: number;
    readonly atOnce?: true;
    readonly readyNode?: true;
  }[];
  readonly laterWakes: { readonly cluster: ClusterName; readonly due: number; readonly attempt?: number }[];
  /** Clusters whose scans until the schedule's next one were sent. */
  readonly scanned: ClusterName[];
  readonly redeliveries: { readonly receiptHandle: string; readonly seconds: number }[];
  readonly lines: LogLine[];
  readonly counts: Map<string, number>;
  readonly slept: number[];
  time: number;
}

export interface TestWorldGiven {
  readonly groups?: readonly NodeGroup[];
  readonly objects?: Partial<ClusterObjects>;
  readonly dryRun?: boolean;
  readonly options?: Partial<Options>;
  /** A store to share with another world. */
  readonly store?: MemoryStore;
}

/** A world with one cluster, `web`, whose time stands still but for what is slept. */
export function testWorld(given: TestWorldGiven = {}): TestWorld {
  const log =
    (level: keyof Log) =>
    (message: string, fields: LogFields = {}) => {
      world.lines.push({ level, message, fields });
    };
  const count = (name: string, value: number): void => {
    world.counts.set(name, (world.counts.get(name) ?? 0) + value);
  };
  const reader: ClusterReader = {
    hasPendingPods: async () => (world.objects.pods ?? []).some(({ unscheduled }) => unscheduled !== null),
    summarize: async () => ({
      waiting: (world.objects.pods ?? []).some(({ nodeName }) => nodeName === null),
      nodes: world.objects.nodes?.length ?? 0,
      pods: world.objects.pods?.length ?? 0,
    }),
    read: async () => {
      await new Promise(setImmediate);
      const error = world.readErrors.shift();
      if (error !== undefined) {
        throw error;
      }
      return { objects: { ...NO_OBJECTS, ...world.objects }, rejected: [] };
    },
    readNodes: async () => {
      const error = world.readErrors.shift();
      if (error !== undefined) {
        throw error;
      }
      return { objects: { ...NO_OBJECTS, nodes: world.objects.nodes ?? [] }, rejected: [] };
    },
    readNode: async (name) => {
      const objects = { ...NO_OBJECTS, ...world.objects };
      const nodes = objects.nodes.filter((node) => node.name === name);
      const pods = objects.pods.filter(({ nodeName }) => nodeName === name);
      return { objects: nodes.length === 0 ? NO_OBJECTS : { ...objects, nodes, pods }, rejected: [] };
    },
    attachedVolumes: async (name) =>
      (world.objects.volumeAttachments ?? []).flatMap(({ nodeName, persistentVolume }) =>
        nodeName === name && persistentVolume !== null ? [persistentVolume] : [],
      ),
  };
  const writer: ClusterWriter = {
    changeNode: async (node, _uid, change) => {
      world.nodeChanges.push([node, change]);
      if (change.removeTaints.some(({ key }) => key === AWAITING_PODS_TAINT)) {
        world.placed.push(node);
      }
      return { kind: 'done' };
    },
    nominate: async ({ namespace, name }, node) => {
      const failure = world.nominationFailures.shift();
      if (failure instanceof Error) {
        throw failure;
      }
      if (failure === undefined) {
        world.placed.push(`${namespace}/${name} → ${node}`);
      }
      return failure ?? { kind: 'done' };
    },
    evict: async () => ({ kind: 'gone' }),
    recordEvent: async (event) => void world.events.push(event),
    writeStatus: async (status) => void world.statuses.push(status),
    writeBufferStatus: async (status) => void world.bufferStatuses.push(status),
    writeRequestStatus: async (status) => void world.requestStatuses.push(status),
    recordEvents: async (events) => void world.events.push(...events),
  };
  const groups = testGroups(given.groups ?? []);
  const world: TestWorld = {
    store: given.store ?? createMemoryStore(),
    drains: createMemoryDrains(),
    inbox: createMemoryInbox(),
    history: createMemoryHistory(() => 0),
    nodeChanges: [],
    placed: [],
    nominationFailures: [],
    events: [],
    sent: [],
    messages: { send: async (messages) => void world.sent.push(...messages) },
    statuses: [],
    bufferStatuses: [],
    requestStatuses: [],
    started: [],
    continued: [],
    groups,
    objects: given.objects ?? {},
    readErrors: [],
    scaleDowns: [],
    wakes: [],
    laterWakes: [],
    scanned: [],
    redeliveries: [],
    lines: [],
    counts: new Map(),
    slept: [],
    time: NOW,
    cluster: (name) =>
      name === WEB
        ? { name: WEB, provider: 'aws', options: { ...defaultOptions(), ...given.options }, reader, writer, groups }
        : null,
    now: () => epochMs(world.time),
    sleep: async (ms) => {
      world.slept.push(ms);
      world.time += ms;
    },
    startDrains: async (_cluster, ids, attempt) => {
      world.started.push({ ids, attempt });
    },
    continueDrains: async (round, waitMs) => {
      world.continued.push({ round, waitMs });
    },
    startScaleDown: async (cluster) => void world.scaleDowns.push(cluster),
    wake: async (cluster, attempt = 0) => {
      world.wakes.push({ cluster, attempt });
    },
    wakeForReadyNode: async (cluster) => {
      world.wakes.push({ cluster, attempt: 0, readyNode: true });
    },
    wakeAtOnce: async (cluster) => {
      world.wakes.push({ cluster, attempt: 0, atOnce: true });
    },
    wakeAt: async (cluster, due, attempt = 0) => {
      world.laterWakes.push({ cluster, due, ...(attempt === 0 ? {} : { attempt }) });
    },
    scanUntilNext: async (cluster) => {
      world.scanned.push(cluster);
    },
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    metrics: { count, milliseconds: count },
    dryRun: given.dryRun ?? false,
    scanInterval: minutes(1),
    redeliverAfter: async (receiptHandle, seconds) => {
      world.redeliveries.push({ receiptHandle, seconds });
    },
  };
  return world;
}

export const invocation = () => ({ signal: new AbortController().signal });

export const clusterRun = <T extends Services>(services: T) => ({
  services,
  cluster: services.cluster(WEB)!,
  ...invocation(),
});

/** A batch of messages with these bodies: texts as they are, objects as JSON. */
export const sqsEvent = (...bodies: readonly unknown[]): SQSEvent => ({
  Records: bodies.map((body, index) => ({
    messageId: `m${index + 1}`,
    receiptHandle: `r${index + 1}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: '', SenderId: '', ApproximateFirstReceiveTimestamp: '' },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: '',
  })),
});

/** Event of the schedule. */
export const scan = { cluster: WEB, scan: '2026-01-01T12:00:00Z' };
/** A webhook notification, so long ago that there is nothing to wait for. */
export const notification = { cluster: WEB, at: '2026-01-01T11:59:00.000Z' };

export const functionUrlEvent = (rawPath: string, body?: string, isBase64Encoded = false): LambdaFunctionURLEvent =>
  ({ version: '2.0', rawPath, rawQueryString: '', headers: {}, body, isBase64Encoded }) as LambdaFunctionURLEvent;
