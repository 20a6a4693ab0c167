import type { DemoLoad } from '../../../simulation/load/load.ts';
import { readLoad } from '../../../simulation/load/read-load.ts';
import { groupsIn, workloadDocument } from '../../bench/trace/documents.ts';

/** Deployments whose pods request so many thousandths of a core and MiB, from the start and for an hour more from its tenth minute. */
export function loadOf(
  types: readonly string[],
  requests: { readonly cpu: string; readonly memory: string },
  more: Readonly<Record<string, unknown>> = {},
  group: Readonly<Record<string, unknown>> = {},
): DemoLoad {
  const read = readLoad(
    workloadDocument({
      name: 'shop',
      seed: 1,
      until: 4_500,
      groups: groupsIn(types, { maxSize: 30, ...group }),
      steps: [
        { at: 5, deploy: { name: 'web', replicas: 30, requests, ...more } },
        { at: 600, deploy: { name: 'more', replicas: 15, requests, ...more } },
        { at: 4_200, scale: { name: 'more', replicas: 0 } },
      ],
    }),
  );
  if (!read.ok) {
    throw new Error(JSON.stringify(read.error));
  }
  return read.value;
}
