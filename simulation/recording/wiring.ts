import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import type { Log } from '@outrigger/core/ports/observability.ts';
import { createMemoryDrains } from '@outrigger/providers/memory/drains.ts';
import { type MemoryStore, createMemoryStore } from '@outrigger/providers/memory/store.ts';
import type { SimulatedWorld } from '../world.ts';
import type { OnDecision } from '../../runtime/functions.ts';
import { sandboxes } from '../../runtime/invocations.ts';
import { timeoutInProcess } from '../../runtime/lambda-rules.ts';
import { simulatedNetwork, startSimulatedRuntime } from '../runtime/simulated-runtime.ts';

export interface WiringOptions {
  readonly world: SimulatedWorld;
  readonly seed: number;
  readonly cluster: ClusterName;
  readonly options: Options;
  readonly onDecision: OnDecision;
  /** Called for each warning and error of a function. */
  readonly onTrouble: (level: 'warn' | 'error', message: string) => void;
}

/** Starts Outrigger's functions around a simulated world in which every message arrives. */
export function wire(given: WiringOptions): { readonly store: MemoryStore } {
  const { world, seed, cluster: name, options, onDecision, onTrouble } = given;
  // Only the state and the intents are ever read.
  const store = createMemoryStore({ history: 1 });
  startSimulatedRuntime({
    world,
    seed,
    cluster: { name, options },
    store,
    drains: createMemoryDrains(),
    network: simulatedNetwork(seed),
    log: logOf(onTrouble),
    invocations: sandboxes({
      clock: world.clock,
      timeoutMs: timeoutInProcess,
      onDecision,
    }),
    onFailure: (_, error) => onTrouble('warn', messageOf(error)),
    onGivenUp: (body) => onTrouble('error', `A wake-up failed too often and is dropped: ${body}`),
  });
  return { store };
}

const logOf = (onTrouble: WiringOptions['onTrouble']): Log => ({
  debug: () => {},
  info: () => {},
  warn: (message) => onTrouble('warn', message),
  error: (message) => onTrouble('error', message),
});
