/** The run of a function, from the start to the end or the death of the function. */
export interface Life {
  /** Nothing of it goes on from now: as if the process had been killed. */
  readonly kill: (why: string) => void;
  /** Resolves at the death, with its cause. */
  readonly death: Promise<string>;
  /** Makes a call on behalf of the function, which may die before or after it. */
  readonly call: <T>(name: string, make: () => Promise<T>) => Promise<T>;
  readonly isOver: () => boolean;
}

/**
 * A process that can be killed at each of its calls. What awaits a call of the dead waits for ever, so that no line of
 * the function's code is run any more, no `catch` and no `finally` either. Calls that are under way take their effect:
 * requests that have left do not know of their sender's death.
 *
 * @param dies asked before and after each call.
 * @param hangs whether this call is never answered: the call takes no effect, and its caller waits for ever
 */
export function createLife(dies: (moment: string) => boolean, hangs: (call: string) => boolean = () => false): Life {
  let over = false;
  const { promise: death, resolve: tell } = Promise.withResolvers<string>();
  const never = <T>(): Promise<T> => new Promise<T>(() => {});
  const kill = (why: string): void => {
    over = true;
    tell(why);
  };
  const survives = (moment: string): boolean => {
    if (!over && dies(moment)) {
      kill(moment);
    }
    return !over;
  };
  return {
    kill,
    death,
    isOver: () => over,
    call: async (name, make) => {
      if (over || !survives(`before ${name}`) || hangs(name)) {
        return never();
      }
      try {
        const answer = await make();
        return survives(`after ${name}`) ? answer : await never();
      } catch (error) {
        if (!survives(`after ${name}, which failed`)) {
          return never();
        }
        throw error;
      }
    },
  };
}

/** A port whose every call is made by this life. All of its functions must be asynchronous. */
export function mortal<Port extends object>(name: string, port: Port, life: Pick<Life, 'call'>): Port {
  return Object.fromEntries(
    Object.entries(port).map(([operation, call]) => [
      operation,
      (...args: unknown[]) =>
        life.call(`${name}.${operation}`, () => (call as (...given: unknown[]) => Promise<unknown>)(...args)),
    ]),
  ) as Port;
}
