/** A folder of the product whose tests are measured by mutants. */
export interface Room {
  readonly folder: string;
  /** The folder's own tests. */
  readonly own: readonly string[];
  /** Tests of other folders, which a mutant that the folder's own tests let live has to survive as well. */
  readonly wider: readonly string[];
}

const DECIDING = [
  ...[
    'evaluate',
    'disruption',
    'headroom',
    'registry',
    'actuation',
    'scaledown',
    'scaleup',
    'notices',
    'placement',
  ].map((folder) => `test/core/${folder}`),
  'test/core/drain',
  'test/core/model/isolation',
  'test/functions',
];
const ACTING = ['test/functions', 'test/simulation/runtime', 'test/simulate-faults/few-seeds.test.ts'];
const READING = ['test/providers/kubernetes', 'test/functions/evaluate'];

const room = (wider: readonly string[], ...folders: readonly string[]): readonly Room[] =>
  folders.map((folder) => ({ folder, own: [`test/${folder}`], wider }));

export const ROOMS: readonly Room[] = [
  ...room(
    DECIDING,
    ...['disruption', 'scaledown/node-budgets', 'placement', 'notices', 'headroom', 'actuation'].map(
      (folder) => `core/${folder}`,
    ),
    'core/wakeups',
    'core/registry',
  ),
  ...room(READING, 'providers/kubernetes/read/view', 'providers/kubernetes/read/snapshot'),
  {
    folder: 'providers/history',
    own: ['test/providers/memory', 'test/providers/dynamodb'],
    wider: ['test/functions', 'test/cli/replay'],
  },
  ...room(['test/providers/clusterapi'], 'providers/clusterapi/changes'),
  ...room(ACTING, 'functions/evaluate', 'functions/actuate', 'functions/drain'),
  { folder: 'cdk/stack', own: ['test/cdk'], wider: [] },
  ...room(['test/cli/commands'], 'cli/install'),
];
