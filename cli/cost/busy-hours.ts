/** Loads of a cluster. */
export const PROFILES = ['rest', 'office', 'busy'] as const;
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

export type BusyProfile = Exclude<Profile, 'rest'>;

/** The numbers of nodes that busy hours are counted for. */
export const BUSY_NODES = [100, 500] as const;

type BusyHours = Readonly<Record<BusyProfile, Readonly<Record<(typeof BUSY_NODES)[number], BusyHour>>>>;

/** Counts of an hour in a simulated cluster, as `COUNT_ALL=1 npx vitest run test/cdk/cost.test.ts` compares them. */
export const BUSY_HOURS: BusyHours = {
  office: {
    100: {
      invocations: { 'scale-up': 80, 'scale-down': 65, actuate: 70, ingest: 15 },
      evaluations: { ScaleUp: 61, ScaleDown: 66 },
      sent: 25,
      drains: 10,
      commits: 101,
      refusedCommits: 19,
      units: { reads: 651, writes: 676 },
      metrics: 18,
      logBytes: 120_691,
    },
    500: {
      invocations: { 'scale-up': 80, 'scale-down': 65, actuate: 70, ingest: 95 },
      evaluations: { ScaleUp: 64, ScaleDown: 65 },
      sent: 105,
      drains: 50,
      commits: 102,
      refusedCommits: 21,
      units: { reads: 1_388, writes: 1_542 },
      metrics: 18,
      logBytes: 314_821,
    },
  },
  busy: {
    100: {
      invocations: { 'scale-up': 72, 'scale-down': 64, actuate: 67, ingest: 37 },
      evaluations: { ScaleUp: 51, ScaleDown: 66 },
      sent: 42,
      drains: 20,
      commits: 96,
      refusedCommits: 24,
      units: { reads: 777, writes: 839 },
      metrics: 18,
      logBytes: 154_980,
    },
    500: {
      invocations: { 'scale-up': 76, 'scale-down': 73, actuate: 76, ingest: 197 },
      evaluations: { ScaleUp: 63, ScaleDown: 74 },
      sent: 202,
      drains: 106,
      commits: 115,
      refusedCommits: 28,
      units: { reads: 2_977, writes: 2_695 },
      metrics: 20,
      logBytes: 592_549,
    },
  },
};
