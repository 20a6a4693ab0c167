import type { Repair } from '../model/decision.ts';
import { LAUNCH_FAILURE_PREFIX } from '../model/node-group.ts';
import type { Words } from './words.ts';

/** Repairs of a node group, and when they happen. */
export const REPAIRS: Readonly<Record<Repair['kind'], Words>> = {
  DecreaseTarget: {
    short: 'lower the target',
    sentence:
      'A scale-up timed out, or the size has been too small, and the same, for longer than maxNodeProvisionTime with no request open. The target is lowered.',
    advice: 'Find out why instances of the node group do not become nodes.',
  },
  DeleteUnregistered: {
    short: 'terminate an unregistered instance',
    sentence:
      'An instance has not become a node within maxNodeProvisionTime. It is terminated, and the target is lowered with it.',
    advice: 'Look at the console output of such an instance: user data, network and permissions keep it from joining.',
  },
  DeleteErrored: {
    short: 'terminate an instance with an error',
    sentence:
      'An instance was created with an error. It is terminated, and the target is lowered with it; where there is no instance the target alone is lowered.',
    advice: 'See what the class of the failed launch calls for.',
  },
  DeleteIncomplete: {
    short: 'terminate an instance with its group',
    sentence:
      'Another instance of the all-or-nothing node group (zeroOrMaxNodeScaling) failed to launch or to become a node. Those that are no nodes yet are terminated with it, and the target is lowered.',
    advice: 'See what the class of the failed launch calls for.',
  },
  IncreaseToMin: {
    short: 'raise the target to the minimum',
    sentence:
      'With enforceNodeGroupMinSize the node group is still below its minimum when everything else is decided; or nodes of it wait to be replaced, and without them it would be. The target is raised as far as the limits of the cluster allow.',
  },
};

/**
 * The repair in words: `terminate an unregistered instance of web-a: i-1`, `raise the target to the minimum: web-a 0 →
 * 1`. Repairs of failed launches of one group are the same in words.
 */
export function repairText(repair: Repair): string {
  if ('instance' in repair) {
    if (repair.instance.startsWith(LAUNCH_FAILURE_PREFIX)) {
      return `lower the target of ${repair.group} by what failed to launch`;
    }
    return `${REPAIRS[repair.kind].short} of ${repair.group}: ${repair.instance}`;
  }
  return `${REPAIRS[repair.kind].short}: ${repair.group} ${repair.from} → ${repair.to}`;
}
