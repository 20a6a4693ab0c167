import type { TerminateOutcome, WithdrawOutcome } from '../../../../core/model/answers.ts';
import { groupName, instanceId } from '../../../../core/model/values/names.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { ok } from '../../../../core/model/values/result.ts';
import type { Machine, ScalableResource } from '../../../../providers/clusterapi/api/objects.ts';
import { type ScalableKind, keysOf } from '../../../../providers/clusterapi/api/resources.ts';
import type { GroupAccess } from '../../../../providers/clusterapi/changes/group-access.ts';
import type { GroupNow } from '../../../../providers/clusterapi/changes/group-now.ts';
import { CLAIM_KEY } from '../../../../providers/clusterapi/changes/marks.ts';
import { terminateMachine, withdrawTermination } from '../../../../providers/clusterapi/changes/terminate.ts';
import { ApiError } from '../../../../providers/kubernetes/client/api-error.ts';
import { randomFrom } from '../../../../core/model/values/random.ts';

const START = Date.UTC(2026, 0, 1);

/** Thrown in the middle of an attempt, as when its process dies. */
export class Crash extends Error {}

export const apiError = (status: number, reason = ''): ApiError =>
  new ApiError(`HTTP ${status}`, { kind: 'refused', status, reason, retryable: status >= 500 || status === 429 });

export interface StandInOptions {
  readonly apiGroup?: string;
  readonly kind?: ScalableKind;
  readonly replicas?: number;
  readonly min?: number;
  readonly max?: number;
  /** Names of the Machines; as many as `replicas` by default. */
  readonly machines?: readonly string[];
  /** How long the MachineSet controller sees the former annotations of a Machine, in ms. */
  readonly lag?: number;
  /** How often the controllers act, in ms; `null`: they do not run. */
  readonly every?: number | null;
  /** Every request takes up to this time, in ms; its effect is somewhere in between. */
  readonly latency?: number;
  readonly seed?: number;
}

interface Stored {
  machine: Machine;
  /** Annotations with the times from which they were in place, the newest first. */
  history: readonly { readonly at: number; readonly annotations: Machine['annotations'] }[];
}

/** Runs around a request, and may throw. */
export type Hook = (call: Call) => void;
export interface Call {
  readonly verb: 'read' | 'scale' | 'annotate' | 'delete';
  readonly when: 'before' | 'after';
  /** Number of requests before this one. */
  readonly index: number;
  readonly change?: unknown;
}

/**
 * A node group of a management cluster in memory, with the controllers of Cluster API v1.14, or of machine.openshift.io:
 * the MachineDeployment controller passes the size on, the MachineSet controller makes what is missing and deletes what
 * is too many by rank, and sees annotations late. Time passes while a request or a pause lasts.
 */
export function managementStandIn(options: StandInOptions = {}) {
  const { apiGroup = 'cluster.x-k8s.io', kind = 'MachineDeployment', replicas = 3, lag = 0, latency = 20 } = options;
  const keys = keysOf(apiGroup);
  const rng = randomFrom(options.seed ?? 1);
  let time = START;
  let versions = 1;
  let requests = 0;
  let made = 0;
  let every = options.every === undefined ? 100 : options.every;
  let hook: Hook = () => undefined;
  let creates = true;
  let slowness = 0;
  const timers: { readonly at: number; readonly run: () => void }[] = [];

  const next = (): string => String((versions += 1));
  const scalable = (of: ScalableKind, name: string, size: number): ScalableResource => ({
    kind: of,
    namespace: 'default',
    name,
    uid: `${of}/${name}`,
    resourceVersion: next(),
    labels: {},
    annotations: {},
    createdAt: null,
    deletedAt: null,
    paused: false,
    clusterName: 'c1',
    replicas: size,
    currentReplicas: size,
    selector: '',
    owner: null,
    onDelete: false,
    infrastructure: null,
    template: { labels: {}, nodeLabels: {}, taints: [], version: null },
    providerIds: [],
    failure: null,
  });
  const state = {
    bounds: { min: options.min ?? 0, max: options.max ?? 10 },
    paused: null as string | null,
    resource: scalable(kind, 'web', replicas),
    sets: kind === 'MachineDeployment' ? [scalable('MachineSet', 'web-1', replicas)] : [],
    machines: [] as Stored[],
    /** Names of Machines that are gone or going, in order. */
    deleted: [] as string[],
  };

  const add = (name: string, holder = state.sets[0] ?? state.resource): void => {
    const machine: Machine = {
      namespace: 'default',
      name,
      uid: `uid-${name}-${next()}`,
      resourceVersion: next(),
      labels: {},
      annotations: {},
      createdAt: epochMs(time),
      deletedAt: null,
      paused: false,
      clusterName: 'c1',
      providerId: `aws:///z/i-${name}`,
      nodeRef: name,
      zone: null,
      version: null,
      phase: 'Running',
      failure: null,
      owner: { kind: holder.kind, name: holder.name, uid: holder.uid },
    };
    state.machines.push({ machine, history: [{ at: time, annotations: {} }] });
  };
  (options.machines ?? Array.from({ length: replicas }, (_, i) => `m${i}`)).forEach((name) => add(name));

  const remove = (stored: Stored): void => {
    if (stored.machine.deletedAt === null) {
      stored.machine = { ...stored.machine, deletedAt: epochMs(time), resourceVersion: next() };
      state.deleted.push(stored.machine.name);
    }
  };

  const seen = ({ history }: Stored): Machine['annotations'] =>
    history.find(({ at }) => at <= time - lag)?.annotations ?? {};

  const rank = (stored: Stored): number => {
    const { deletedAt, failure } = stored.machine;
    const marked = keys.deleteMachine.some((key) => Object.hasOwn(seen(stored), key));
    return deletedAt === null
      ? marked
        ? 80
        : failure === null
          ? 20
          : apiGroup === 'machine.openshift.io'
            ? 80
            : 50
      : 100;
  };

  function reconcile(holder: ScalableResource): void {
    const own = state.machines
      .filter(({ machine: { owner } }) => owner?.uid === holder.uid)
      .filter(({ machine: { deletedAt } }) => apiGroup !== 'machine.openshift.io' || deletedAt === null);
    for (let missing = creates ? holder.replicas - own.length : 0; missing > 0; missing -= 1) {
      add(`new${(made += 1)}`, holder);
    }
    // Random order among equals: an order by name would hide ties that other versions break otherwise.
    const byRank = own.map((stored) => ({ stored, by: rank(stored) + rng() })).sort((a, b) => b.by - a.by);
    byRank.slice(0, Math.max(0, own.length - holder.replicas)).forEach(({ stored }) => remove(stored));
  }

  const controllers = (): void => {
    if (every === null) {
      return;
    }
    state.machines = state.machines.filter(
      ({ machine: { deletedAt } }) => deletedAt === null || time - deletedAt < 3_000,
    );
    if (state.paused === null) {
      const [set] = state.sets;
      if (state.sets.length === 1 && set !== undefined && set.replicas !== state.resource.replicas) {
        state.sets = [{ ...set, replicas: state.resource.replicas, resourceVersion: next() }];
      } else {
        (state.sets.length > 0 ? state.sets : [state.resource]).forEach(reconcile);
      }
    }
  };

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      timers.push({ at: time + ms, run: resolve });
      timers.sort((a, b) => a.at - b.at);
    });

  /** Lets time pass until a promise is settled. */
  async function passing<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const done = work.finally(() => {
      settled = true;
    });
    done.catch(() => undefined);
    let due = time;
    for (;;) {
      await new Promise(setImmediate);
      if (settled) {
        return await done;
      }
      if (every !== null && due <= (timers[0]?.at ?? due)) {
        time = Math.max(time, due);
        due = time + every;
        controllers();
      } else {
        const timer = timers.shift();
        if (timer === undefined) {
          throw new Error('nothing is left to wait for');
        }
        time = timer.at;
        timer.run();
      }
    }
  }

  async function request<T>(verb: Call['verb'], effect: () => T, change?: unknown): Promise<T> {
    const index = requests;
    requests += 1;
    await sleep(rng() * latency);
    hook({ verb, when: 'before', index, change });
    const answer = effect();
    hook({ verb, when: 'after', index, change });
    await sleep(rng() * latency + (verb === 'read' ? slowness : 0));
    return answer;
  }

  const storedOf = ({ uid }: Machine): Stored => {
    const stored = state.machines.find(({ machine }) => machine.uid === uid);
    if (stored === undefined) {
      throw apiError(404, 'NotFound');
    }
    return stored;
  };

  const access: GroupAccess = {
    read: () =>
      request('read', () => {
        const group: GroupNow = {
          resource: state.resource,
          bounds: state.bounds,
          holders: state.sets.length > 0 ? state.sets : [state.resource],
          machines: state.machines.map(({ machine }) => machine),
          paused: state.paused,
        };
        return ok(group);
      }),
    scale: (resource, size) =>
      request(
        'scale',
        () => {
          if (resource.resourceVersion !== state.resource.resourceVersion) {
            throw apiError(409, 'Conflict');
          }
          state.resource = { ...state.resource, replicas: size, resourceVersion: next() };
        },
        size,
      ),
    annotate: (machine, change) =>
      request(
        'annotate',
        () => {
          const stored = storedOf(machine);
          if (stored.machine.resourceVersion !== machine.resourceVersion) {
            throw apiError(409, 'Conflict');
          }
          annotate(machine.name, change);
        },
        change,
      ),
    deleteMachine: (machine) => request('delete', () => remove(storedOf(machine))),
  };

  function annotate(name: string, change: Readonly<Record<string, string | null>>): void {
    const stored = state.machines.find(({ machine }) => machine.name === name)!;
    const annotations = Object.fromEntries(
      Object.entries({ ...stored.machine.annotations, ...change }).flatMap(([key, value]) =>
        value === null ? [] : [[key, value]],
      ),
    );
    stored.machine = { ...stored.machine, annotations, resourceVersion: next() };
    stored.history = [{ at: time, annotations }, ...stored.history];
  }

  const warnings: string[] = [];
  const settings = {
    access,
    rules: { apiGroup, keys },
    now: () => epochMs(Math.floor(time)),
    sleep,
    warn: (message: string) => void warnings.push(message),
  };

  return {
    access,
    state,
    warnings,
    add,
    annotate,
    passing,
    name: groupName(`${kind}/default/web`),
    wait: (ms: number) => passing(sleep(ms)),
    sleep,
    remove: (name: string) => remove(state.machines.find(({ machine }) => machine.name === name)!),
    change: (name: string, fields: Partial<Machine>) => {
      const stored = state.machines.find(({ machine }) => machine.name === name)!;
      stored.machine = { ...stored.machine, ...fields, resourceVersion: next() };
    },
    scaleTo: (size: number) => {
      state.resource = { ...state.resource, replicas: size, resourceVersion: next() };
    },
    /** Any other write to the resource. */
    touch: () => {
      state.resource = { ...state.resource, resourceVersion: next() };
    },
    runControllers: (interval: number | null) => {
      every = interval;
    },
    /** How long what was read is on its way, in ms. */
    slowReads: (ms: number) => {
      slowness = ms;
    },
    /** Whether MachineSets make what they lack. */
    createMachines: (value: boolean) => {
      creates = value;
    },
    onRequest: (next: Hook) => {
      hook = next;
    },
    requests: () => requests,
    live: () => state.machines.filter(({ machine }) => machine.deletedAt === null).map(({ machine }) => machine.name),
    /** Names of live Machines with a claim or a mark. */
    noted: () =>
      state.machines
        .filter(({ machine }) => machine.deletedAt === null)
        .filter(({ machine: { annotations } }) => [CLAIM_KEY, ...keys.deleteMachine].some((key) => key in annotations))
        .map(({ machine }) => machine.name),
    /** Without waiting for it. */
    begin: (machine: string, decrement = true): Promise<TerminateOutcome> =>
      terminateMachine(settings, instanceId(`default/${machine}`), decrement),
    terminate: (machine: string, decrement = true): Promise<TerminateOutcome> =>
      passing(terminateMachine(settings, instanceId(`default/${machine}`), decrement)),
    withdraw: (machine: string): Promise<WithdrawOutcome> =>
      passing(withdrawTermination(settings, instanceId(`default/${machine}`))),
  };
}

export type StandIn = ReturnType<typeof managementStandIn>;

/** Groups of each kind. */
export const STAND_INS: readonly (readonly [string, StandInOptions])[] = [
  ['a MachineDeployment', { every: 700 }],
  ['a MachineSet', { kind: 'MachineSet', lag: 500 }],
  ['machine.openshift.io', { kind: 'MachineSet', apiGroup: 'machine.openshift.io' }],
];
