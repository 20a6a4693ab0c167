import { type Entry, handle, type Handlers, type RecordedGroup } from './recording.ts';

/** What is to be seen of the cluster at one moment of a recording. */
export interface Stage {
  readonly groups: ReadonlyMap<string, StagedGroup>;
  /** Pods by what they do; those that have finished are left out. */
  readonly pods: { readonly running: number; readonly starting: number; readonly pending: number };
  /** Takes the next entry of the recording. */
  readonly advance: (entry: Entry) => void;
}

export interface StagedGroup {
  readonly group: RecordedGroup;
  readonly desired: number;
  readonly ready: number;
  readonly price: number | null;
}

type PodState = 'pending' | 'starting' | 'running';

/** The stage as it is before the first entry. */
export function createStage(groups: readonly RecordedGroup[]): Stage {
  const staged = new Map(
    groups.map((group) => [
      group.name,
      { group, desired: group.desiredSize, ready: group.desiredSize, price: group.price },
    ]),
  );
  const states = new Map<string, PodState>();
  const pods = { running: 0, starting: 0, pending: 0 };

  const put = (pod: string, state: PodState | null): void => {
    const before = states.get(pod);
    if (before !== undefined) {
      pods[before] -= 1;
      states.delete(pod);
    }
    if (state !== null) {
      pods[state] += 1;
      states.set(pod, state);
    }
  };

  const onEntry: Handlers<void> = {
    PodCreated: ({ pod }) => put(pod, 'pending'),
    PodBound: ({ pod }) => put(pod, 'starting'),
    PodRunning: ({ pod }) => put(pod, 'running'),
    PodFinished: ({ pod }) => put(pod, null),
    PodDeleted: ({ pod }) => put(pod, null),
    SizeSet: ({ group, to }) => {
      staged.get(group)!.desired = to;
    },
    NodeReady: ({ group }) => {
      staged.get(group)!.ready += 1;
    },
    NodeGone: ({ group }) => {
      staged.get(group)!.ready -= 1;
    },
  };

  return { groups: staged, pods, advance: (entry) => void handle(onEntry, entry) };
}
