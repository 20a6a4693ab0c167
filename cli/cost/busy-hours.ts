/** Loads of a cluster. */
export const PROFILES = ['idle', 'office', 'busy'] as const;
export type Profile = (typeof PROFILES)[number];

/** Counts for an hour in which pods come and go, in a cluster that scales up and down. */
export interface BusyHour {
  readonly invocations: Readonly<Record<'scale-up' | 'scale-down' | 'actuate' | 'ingest', number>>;
  readonly evaluations: { readonly ScaleUp: number; readonly ScaleDown: number };
  /** Messages in the queue, besides those of the schedule. */
  readonly sent: number;
  /** Nodes drained. */
  readonly drains: number;
  readonly commits: number;
  readonly refusedCommits: number;
  readonly units: { readonly reads: number; readonly writes: number };
  /** Custom metrics that have a value. */
  readonly metrics: number;
  readonly logBytes: number;
}

export type BusyProfile = Exclude<Profile, 'idle'>;

/** The numbers of nodes that busy hours are counted for. */
export const BUSY_NODES = [100, 500, 2_000] as const;

type BusyHours = Readonly<Record<BusyProfile, Readonly<Record<(typeof BUSY_NODES)[number], BusyHour>>>>;

/** Counts of an hour in a simulated cluster, as `COUNT_ALL=1 npx vitest run test/cdk/cost.test.ts` compares them. */
export const BUSY_HOURS: BusyHours = {
  office: {
    100: {
      invocations: { 'scale-up': 128, 'scale-down': 65, actuate: 70, ingest: 15 },
      evaluations: { ScaleUp: 81, ScaleDown: 65 },
      sent: 64,
      drains: 10,
      commits: 120,
      refusedCommits: 19,
      units: { reads: 717, writes: 752 },
      metrics: 18,
      logBytes: 137_211,
    },
    500: {
      invocations: { 'scale-up': 133, 'scale-down': 65, actuate: 70, ingest: 95 },
      evaluations: { ScaleUp: 87, ScaleDown: 66 },
      sent: 148,
      drains: 50,
      commits: 129,
      refusedCommits: 24,
      units: { reads: 1_516, writes: 1_674 },
      metrics: 18,
      logBytes: 335_161,
    },
    2_000: {
      invocations: { 'scale-up': 146, 'scale-down': 83, actuate: 89, ingest: 395 },
      evaluations: { ScaleUp: 100, ScaleDown: 84 },
      sent: 456,
      drains: 200,
      commits: 162,
      refusedCommits: 25,
      units: { reads: 5_974, writes: 5_420 },
      metrics: 18,
      logBytes: 1_115_989,
    },
  },
  busy: {
    100: {
      invocations: { 'scale-up': 106, 'scale-down': 64, actuate: 67, ingest: 37 },
      evaluations: { ScaleUp: 62, ScaleDown: 64 },
      sent: 68,
      drains: 20,
      commits: 101,
      refusedCommits: 16,
      units: { reads: 890, writes: 891 },
      metrics: 18,
      logBytes: 164_618,
    },
    500: {
      invocations: { 'scale-up': 107, 'scale-down': 73, actuate: 75, ingest: 197 },
      evaluations: { ScaleUp: 75, ScaleDown: 74 },
      sent: 228,
      drains: 103,
      commits: 129,
      refusedCommits: 28,
      units: { reads: 2_926, writes: 2_679 },
      metrics: 20,
      logBytes: 591_161,
    },
    2_000: {
      invocations: { 'scale-up': 122, 'scale-down': 103, actuate: 107, ingest: 767 },
      evaluations: { ScaleUp: 110, ScaleDown: 106 },
      sent: 813,
      drains: 386,
      commits: 195,
      refusedCommits: 42,
      units: { reads: 14_878, writes: 9_798 },
      metrics: 18,
      logBytes: 2_075_908,
    },
  },
};
