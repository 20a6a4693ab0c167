import type { NodeName } from '../../core/model/values/names.ts';
import { isRemovalTaint } from '../../core/model/cluster/removal-taints.ts';
import { minutes } from '../../core/model/values/time.ts';
import type { Span } from '../../core/model/values/random.ts';
import { conditionsOf, isSimulatedNodeReady, NOT_READY_TAINT } from '../../simulation/cluster/node-readiness.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import type { FaultSource } from './fault-source.ts';
import type { FaultScenario } from './fault-scenario.ts';

const SOON: Span = { min: 1, max: 90_000 };

type Trouble =
  | { readonly kind: 'vanishes'; readonly after: number }
  | { readonly kind: 'is not ready'; readonly after: number; readonly for: number };

/**
 * Makes serving nodes fail: a node and its pods vanish, or are not ready for a while. Nodes in removal fail more often,
 * because such failures are the hardest to handle.
 */
export function startNodeTrouble(
  { clock, api, scaling, onEvent }: SimulatedWorld,
  scenario: Pick<FaultScenario, 'faultsUntil'>,
  faults: FaultSource,
): void {
  const setReady = (name: NodeName, ready: boolean): void => {
    const node = api.nodes.get(name);
    if (node === undefined || isSimulatedNodeReady(node) === ready) {
      return;
    }
    api.putNode({
      ...node,
      taints: [...node.taints.filter(({ key }) => key !== NOT_READY_TAINT.key), ...(ready ? [] : [NOT_READY_TAINT])],
      conditions: conditionsOf(ready, clock.now()),
    });
    for (const [key, pod] of api.pods) {
      if (pod.nodeName === name && pod.phase === 'Running' && pod.deletedAt === null) {
        api.updatePod(key, (before) => ({ ...before, ready }));
      }
    }
  };

  const befall = (name: NodeName, probability: number, within: Span): void => {
    const trouble = faults.strike<Trouble>(
      'node',
      probability,
      (chance) => {
        const after = chance.within(within);
        const longest = scenario.faultsUntil - clock.now() - after;
        if (longest <= 0) {
          return null;
        }
        return chance.next() < 0.5
          ? { kind: 'vanishes', after }
          : { kind: 'is not ready', after, for: Math.min(longest, chance.within({ min: 5_000, max: minutes(6) })) };
      },
      ({ kind, after, ...more }) =>
        `node ${name} ${kind} ${after} ms from now${'for' in more ? `, for ${more.for} ms` : ''}`,
    );
    if (trouble === null) {
      return;
    }
    clock.after(trouble.after, () => {
      if (trouble.kind === 'is not ready') {
        setReady(name, false);
        clock.after(trouble.for, () => setReady(name, true));
        return;
      }
      const instance = scaling
        .groups()
        .flatMap(({ instances }) => instances.find(({ node }) => node === name) ?? [])[0];
      if (instance !== undefined) {
        scaling.fail(instance.id);
      }
    });
  };

  /** Somebody deletes the Node: its instance goes on, and does not register again. */
  const forget = (name: NodeName): void => {
    const after = faults.strike(
      'node object',
      0.02,
      (chance) => {
        const ms = chance.within({ min: 1, max: minutes(15) });
        return clock.now() + ms < scenario.faultsUntil ? ms : null;
      },
      (ms) => `node ${name} is deleted ${ms} ms from now, and its instance stays`,
    );
    if (after !== null) {
      clock.after(after, () => {
        if (api.nodes.has(name)) {
          api.deleteNode(name);
        }
      });
    }
  };

  onEvent((event) => {
    if (event.kind === 'NodeTainted' && isRemovalTaint(event.taint)) {
      befall(event.node, 0.1, SOON);
    } else if (event.kind === 'NodeReady') {
      befall(event.node, 0.03, { min: 1, max: minutes(15) });
      forget(event.node);
    }
  });
}
