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
      evaluations: { ScaleUp: 84, ScaleDown: 67 },
      sent: 64,
      drains: 10,
      commits: 125,
      refusedCommits: 21,
      units: { reads: 727, writes: 766 },
      metrics: 18,
      logBytes: 139_611,
    },
    500: {
      invocations: { 'scale-up': 133, 'scale-down': 65, actuate: 70, ingest: 95 },
      evaluations: { ScaleUp: 87, ScaleDown: 65 },
      sent: 148,
      drains: 50,
      commits: 125,
      refusedCommits: 21,
      units: { reads: 1_512, writes: 1_660 },
      metrics: 18,
      logBytes: 335_164,
    },
    2_000: {
      invocations: { 'scale-up': 144, 'scale-down': 81, actuate: 89, ingest: 395 },
      evaluations: { ScaleUp: 100, ScaleDown: 82 },
      sent: 456,
      drains: 200,
      commits: 161,
      refusedCommits: 31,
      units: { reads: 5_811, writes: 5_196 },
      metrics: 18,
      logBytes: 1_112_042,
    },
  },
  busy: {
    100: {
      invocations: { 'scale-up': 106, 'scale-down': 64, actuate: 67, ingest: 37 },
      evaluations: { ScaleUp: 62, ScaleDown: 64 },
      sent: 68,
      drains: 20,
      commits: 100,
      refusedCommits: 19,
      units: { reads: 890, writes: 869 },
      metrics: 18,
      logBytes: 164_618,
    },
    500: {
      invocations: { 'scale-up': 108, 'scale-down': 73, actuate: 76, ingest: 197 },
      evaluations: { ScaleUp: 73, ScaleDown: 77 },
      sent: 229,
      drains: 103,
      commits: 124,
      refusedCommits: 23,
      units: { reads: 2_984, writes: 2_636 },
      metrics: 20,
      logBytes: 591_338,
    },
    2_000: {
      invocations: { 'scale-up': 146, 'scale-down': 101, actuate: 108, ingest: 749 },
      evaluations: { ScaleUp: 111, ScaleDown: 104 },
      sent: 815,
      drains: 376,
      commits: 200,
      refusedCommits: 47,
      units: { reads: 14_547, writes: 9_819 },
      metrics: 19,
      logBytes: 2_025_325,
    },
  },
};
