import { API_VERSION } from '../../../providers/schema/names.ts';

/** A Workload document, as a file would have it. */
export type RawLoad = Readonly<Record<string, unknown>>;

/** A step of the load. */
export type RawStep = Readonly<Record<string, unknown>> & {
  /** Seconds from the start. */
  readonly at: number;
};

const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const LARGEST_GROUP = 60;

/** A node group for each type and zone. */
export const groupsIn = (
  types: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): readonly Readonly<Record<string, unknown>>[] =>
  types.flatMap((instanceType) =>
    ZONES.map((zone) => ({
      name: `${instanceType.replace('.', '-')}-${zone.at(-1)!}`,
      zone,
      instanceType,
      minSize: 0,
      maxSize: LARGEST_GROUP,
      ...more,
    })),
  );

/** @param until in seconds from the start. */
export const workloadDocument = ({
  name,
  seed,
  until,
  groups,
  steps,
}: {
  readonly name: string;
  readonly seed: number;
  readonly until: number;
  readonly groups: readonly unknown[];
  readonly steps: readonly RawStep[];
}): RawLoad => ({
  apiVersion: API_VERSION,
  kind: 'Workload',
  metadata: { name },
  seed,
  until: `${until}s`,
  nodeGroups: groups,
  load: steps.map((step) => ({ ...step, at: `${step.at}s` })),
});
