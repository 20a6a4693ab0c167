import { type Call, Crash, managementStandIn, type StandInOptions } from './group-stand-in.ts';

/** The requests of an undisturbed attempt to terminate `m1`. */
export async function requestsOf(options: StandInOptions): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const group = managementStandIn(options);
  group.onRequest((call) => calls.push(call));
  await group.terminate('m1');
  return calls;
}

/** Ends the process of an attempt before or after one of its requests. */
export const crashAt =
  (at: Call) =>
  ({ index, when }: Call): void => {
    if (index === at.index && when === at.when) {
      throw new Crash();
    }
  };
