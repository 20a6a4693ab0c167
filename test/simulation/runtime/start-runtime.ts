import { expect } from 'vitest';
import { clusterName } from '../../../core/model/values/names.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import { createMemoryDrains } from '../../../providers/memory/drains.ts';
import { createMemoryStore } from '../../../providers/memory/store.ts';
import type { SimulatedWorld } from '../../../simulation/world.ts';
import { TIMEOUTS_MS } from '../../../runtime/lambda-rules.ts';
import { sandboxes, type SandboxOptions } from '../../../runtime/invocations.ts';
import {
  simulatedNetwork,
  type SimulatedRuntimeOptions,
  startSimulatedRuntime,
} from '../../../simulation/runtime/simulated-runtime.ts';

interface Given
  extends
    Partial<Pick<SimulatedRuntimeOptions, 'store' | 'drains' | 'dryRun'>>,
    Partial<Pick<SandboxOptions, 'timeoutMs' | 'onDecision'>> {
  readonly world: SimulatedWorld;
  readonly options?: Partial<Options>;
}

/** Starts Outrigger beside a simulated cluster: every message arrives, and no function is expected to fail. */
export const startRuntime = ({
  world,
  options = {},
  store = createMemoryStore(),
  drains = createMemoryDrains(),
  timeoutMs = (name) => TIMEOUTS_MS[name],
  onDecision = () => {},
  dryRun = false,
}: Given) =>
  startSimulatedRuntime({
    world,
    dryRun,
    seed: 1,
    cluster: { name: clusterName('web'), options: { ...defaultOptions(), ...options } },
    store,
    drains,
    network: simulatedNetwork(1),
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    invocations: sandboxes({ clock: world.clock, timeoutMs, onDecision }),
    onFailure: (name, error) => expect.unreachable(`${name} has failed: ${String(error)}`),
    onGivenUp: expect.unreachable,
  });
