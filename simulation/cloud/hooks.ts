import { getExisting } from '@outrigger/core/model/values/existing.ts';
import type { HookOutcome } from '@outrigger/core/model/answers.ts';
import type { InstanceId, NodeName } from '@outrigger/core/model/values/names.ts';
import type { DurationMs } from '@outrigger/core/model/values/time.ts';
import { type Chance, HEX } from '../chance.ts';
import type { Clock, Timer } from '../clock.ts';
import type { Emit, OfInstance } from '../world-event.ts';

/** A terminating lifecycle hook of an Auto Scaling group. */
export interface LifecycleHook {
  readonly name: string;
  /** The group waits so long for the hook's completion, or for its next heartbeat. */
  readonly heartbeatTimeout: DurationMs;
  /** Result of the hook at its timeout. Both end the instance; ABANDON skips the instance's remaining hooks. */
  readonly defaultResult: 'CONTINUE' | 'ABANDON';
}

/** An instance that its group is about to end. */
interface EndingInstance extends OfInstance {
  readonly node: NodeName | null;
}

/** The waits of instances for their groups' terminating lifecycle hooks. */
export interface HookWaits {
  /**
   * Has an instance wait for all of these hooks.
   *
   * @param end called once, when it waits for none any more; at once where there is none
   */
  readonly wait: (ending: EndingInstance, hooks: readonly LifecycleHook[], chance: Chance, end: () => void) => void;
  readonly complete: (instance: InstanceId, hook: string, token: string) => HookOutcome;
  readonly heartbeat: (instance: InstanceId, hook: string, token: string) => HookOutcome;
  /** The instance has ended by itself; returns whether it has waited for a hook. */
  readonly forget: (instance: InstanceId) => boolean;
}

interface HookWait {
  readonly ending: EndingInstance;
  readonly end: () => void;
  /** By the hook's name. */
  readonly open: Map<string, { readonly hook: LifecycleHook; readonly token: string; timer: Timer }>;
}

export function createHookWaits(clock: Clock, emit: Emit): HookWaits {
  const waiting = new Map<InstanceId, HookWait>();
  const finish = (
    one: HookWait,
    name: string,
    how: 'completed' | 'timed out',
    result: 'CONTINUE' | 'ABANDON',
  ): void => {
    const { ending, open, end } = one;
    const { token, timer } = getExisting(open, name);
    timer.cancel();
    open.delete(name);
    emit({ kind: 'HookEnded', ...ending, hook: name, token, how });
    if (result === 'ABANDON') {
      open.forEach((other) => other.timer.cancel());
      open.clear();
    }
    if (open.size === 0) {
      waiting.delete(ending.instance);
      end();
    }
  };
  const timeout = (one: HookWait, hook: LifecycleHook): Timer =>
    clock.after(hook.heartbeatTimeout, () => finish(one, hook.name, 'timed out', hook.defaultResult));
  const openOf = (instance: InstanceId, name: string, token: string) => {
    const one = waiting.get(instance);
    const open = one?.open.get(name);
    return one === undefined || open?.token !== token ? null : { one, open };
  };
  return {
    wait: (ending, hooks, chance, end) => {
      if (hooks.length === 0) {
        end();
        return;
      }
      const one: HookWait = { ending, end, open: new Map() };
      waiting.set(ending.instance, one);
      for (const hook of hooks) {
        const token = chance.text(32, HEX);
        one.open.set(hook.name, { hook, token, timer: timeout(one, hook) });
        emit({ kind: 'HookWaits', ...ending, hook: hook.name, token });
      }
    },
    complete: (instance, name, token) => {
      const found = openOf(instance, name, token);
      if (found === null) {
        return { kind: 'gone' };
      }
      finish(found.one, name, 'completed', 'CONTINUE');
      return { kind: 'done' };
    },
    heartbeat: (instance, name, token) => {
      const found = openOf(instance, name, token);
      if (found === null) {
        return { kind: 'gone' };
      }
      found.open.timer.cancel();
      found.open.timer = timeout(found.one, found.open.hook);
      return { kind: 'done' };
    },
    forget: (instance) => {
      waiting.get(instance)?.open.forEach(({ timer }) => timer.cancel());
      return waiting.delete(instance);
    },
  };
}
