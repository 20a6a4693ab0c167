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
export const BUSY_NODES = [100, 500, 2_000] as const;

type BusyHours = Readonly<Record<BusyProfile, Readonly<Record<(typeof BUSY_NODES)[number], BusyHour>>>>;

/** Counts of an hour in a simulated cluster, as `COUNT_ALL=1 npx vitest run test/cdk/cost.test.ts` compares them. */
export const BUSY_HOURS: BusyHours = {
  office: {
    100: {
      invocations: { 'scale-up': 80, 'scale-down': 65, actuate: 70, ingest: 15 },
      evaluations: { ScaleUp: 63, ScaleDown: 65 },
      sent: 25,
      drains: 10,
      commits: 103,
      refusedCommits: 22,
      units: { reads: 657, writes: 674 },
      metrics: 18,
      logBytes: 120_222,
    },
    500: {
      invocations: { 'scale-up': 84, 'scale-down': 65, actuate: 70, ingest: 95 },
      evaluations: { ScaleUp: 70, ScaleDown: 65 },
      sent: 105,
      drains: 50,
      commits: 110,
      refusedCommits: 22,
      units: { reads: 1_408, writes: 1_558 },
      metrics: 18,
      logBytes: 318_622,
    },
    2_000: {
      invocations: { 'scale-up': 86, 'scale-down': 82, actuate: 89, ingest: 395 },
      evaluations: { ScaleUp: 73, ScaleDown: 85 },
      sent: 407,
      drains: 200,
      commits: 130,
      refusedCommits: 22,
      units: { reads: 5_518, writes: 5_018 },
      metrics: 18,
      logBytes: 1_089_868,
    },
  },
  busy: {
    100: {
      invocations: { 'scale-up': 76, 'scale-down': 63, actuate: 67, ingest: 48 },
      evaluations: { ScaleUp: 52, ScaleDown: 63 },
      sent: 55,
      drains: 26,
      commits: 92,
      refusedCommits: 21,
      units: { reads: 960, writes: 896 },
      metrics: 18,
      logBytes: 181_702,
    },
    500: {
      invocations: { 'scale-up': 73, 'scale-down': 74, actuate: 76, ingest: 197 },
      evaluations: { ScaleUp: 61, ScaleDown: 75 },
      sent: 201,
      drains: 103,
      commits: 110,
      refusedCommits: 22,
      units: { reads: 2_817, writes: 2_567 },
      metrics: 20,
      logBytes: 581_306,
    },
    2_000: {
      invocations: { 'scale-up': 88, 'scale-down': 103, actuate: 107, ingest: 767 },
      evaluations: { ScaleUp: 97, ScaleDown: 104 },
      sent: 778,
      drains: 386,
      commits: 184,
      refusedCommits: 43,
      units: { reads: 14_618, writes: 9_802 },
      metrics: 20,
      logBytes: 2_064_123,
    },
  },
};
