import { defineConfig } from 'vitest/config';
import { sampleOf } from './test/sample.ts';

/**
 * How long is waited for what comes within seconds: the machine may be many times slower, and busy with other things. It
 * costs time only when something is broken.
 */
const PATIENCE = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 120_000, interval: 50 } } };

const endToEnd = (...names: readonly string[]): readonly string[] => names.map((name) => `test/e2e/${name}.e2e.ts`);

/**
 * Files that are not run for every change: of each group so many are drawn (`test/sample.ts`). Files that take less than half a
 * minute run every time, and so do those of the stores, of the node groups and of the template.
 */
const DRAWN = [
  {
    of: 'variants of the template',
    count: 1,
    files: endToEnd(
      'template-applying',
      'template-elsewhere',
      'template-observing',
      'template-cluster-api',
      'template-management-cluster',
    ),
  },
  { of: 'templates that are installed', count: 1, files: endToEnd('template-install', 'release') },
  { of: 'stories', count: 1, files: endToEnd('one-story', 'story-of-a-removal') },
  { of: 'killed processes', count: 1, files: endToEnd('kill', 'scale-down', 'placement-kill', 'placement-functions') },
  { of: 'measurements', count: 1, files: endToEnd('openb', 'placement-mix', 'reaction', 'flood') },
  { of: 'others at fault', count: 1, files: endToEnd('faults', 'hostile') },
  { of: 'Cluster API', count: 1, files: endToEnd('cluster-api', 'cluster-api-scaling', 'cluster-api-management') },
  { of: 'drains', count: 1, files: endToEnd('template-notices', 'template-pause', 'notices', 'pause', 'budgets') },
  { of: 'removals', count: 1, files: endToEnd('consolidation', 'scale-down-ground', 'placement-openings') },
  { of: 'cached lists', count: 1, files: endToEnd('incremental-reads', 'cached-lists', 'snapshots') },
];
const NOT_DRAWN = DRAWN.flatMap(({ of, count, files }) => {
  const drawn = sampleOf(of, files, count);
  return files.filter((file) => !drawn.includes(file));
});

/**
 * Files that run side by side on real servers, each worker with servers of its own: they wait most of the time. Of all projects
 * of that run, as they share the workers.
 */
const SIDE_BY_SIDE = { maxWorkers: 2, sequence: { groupOrder: 1 } };

/** Files that need a control plane of Kubernetes 1.37, whose build takes ten minutes of CPU: of every night (`scripts/ci/steps.ts`). */
const NEWEST_KUBERNETES = endToEnd('pod-groups');

/** Files that need Prometheus, whose build takes as long: of every night, too. */
const WITH_PROMETHEUS = endToEnd('prometheus');

/** On real servers. */
const ON_SERVERS = {
  setupFiles: ['test/setup.ts', 'test/e2e/empty-cluster.ts'],
  globalSetup: ['test/e2e/global-setup.ts'],
  // Tests wait for several things, one after the other, for up to five minutes each (`PATIENCE_MS`).
  testTimeout: 1_800_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: 300_000, interval: 50 } },
};

/**
 * Tests that change the folder or the home of their process, which a thread cannot. They call the command line
 * (`test/cli/outrigger.ts`), or read what is in the home.
 */
const IN_FOLDERS = [
  'test/cli/*.test.ts',
  'test/cli/{commands,install,migrate,replay,simulate}/**/*.test.ts',
  'test/scripts/configuration.test.ts',
  'test/providers/kubernetes/auth/kubeconfig.test.ts',
];

/**
 * Tests of the simulations with injected faults and with hostile objects, which find defects on purpose, of backtests and of commitments. They take minutes
 * of CPU time (`npm run test:simulation`); a few runs of both simulations are in `unit`.
 */
const SIMULATION = [
  'test/simulate-faults/**/!(few-seeds).test.ts',
  'test/hostile/hostile.test.ts',
  'test/cli/backtest/figures.test.ts',
  'test/simulation/recording/record/dear-node.test.ts',
  'test/commitments/accounts.test.ts',
];

/** Files share a thread or a process for each core, and the modules it has loaded: loading them for each file takes half of the time. */
const SHARED_THREADS = { pool: 'threads', isolate: false } as const;
const SHARED_PROCESSES = { pool: 'forks', isolate: false } as const;

/** The tests of a file run in a random order, the same one every time; `--sequence.seed=<number>` gives another one. */
const SHUFFLED = { sequence: { shuffle: { tests: true } } };

/** In one process things come within milliseconds. */
const SOON = { ...PATIENCE, expect: { poll: { timeout: 20_000, interval: 10 } } };

/**
 * `test/no-traces.ts` fails a file of `unit`, `process` or `cdk` that leaves the process otherwise than it found it.
 *
 * `unit` and `process` need Node alone, `cdk` synthesises stacks; `browser` needs Chromium, `package` the registry, and `e2e` starts the real servers
 * (`npm run test:e2e`).
 */
export default defineConfig({
  test: {
    // Uses a process per core: by default vitest leaves one core to an editor.
    maxWorkers: '100%',
    teardownTimeout: 240_000,
    sequence: { seed: 1 },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...IN_FOLDERS,
            ...SIMULATION,
            'test/cdk/**',
            'test/e2e/**',
            'test/conformance/**',
            'node_modules/**',
          ],
          setupFiles: ['test/setup.ts', 'test/no-traces.ts'],
          ...SHARED_THREADS,
          ...SHUFFLED,
          ...SOON,
        },
      },
      {
        test: {
          name: 'process',
          include: IN_FOLDERS,
          setupFiles: ['test/setup.ts', 'test/no-traces.ts'],
          ...SHARED_PROCESSES,
          ...SHUFFLED,
          ...SOON,
        },
      },
      {
        test: {
          name: 'cdk',
          include: ['test/cdk/**/*.test.ts'],
          // CloudFormation's rules in WebAssembly take most of a synthesis, and without the context of cdk.json they only
          // warn: `cdk synth` holds the template to them.
          env: { CDK_VALIDATION: 'false' },
          setupFiles: ['test/no-traces.ts'],
          ...SHARED_THREADS,
          ...SHUFFLED,
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'simulation',
          include: SIMULATION,
          setupFiles: ['test/setup.ts', 'test/no-traces.ts'],
          ...SHARED_THREADS,
          ...SOON,
        },
      },
      // Looks at pages with a browser: Chromium, which npm does not install.
      { test: { name: 'browser', include: ['test/browser/**/*.e2e.ts'], ...PATIENCE } },
      // Packs and installs what users get.
      { test: { name: 'package', include: ['test/package/**/*.e2e.ts'], ...PATIENCE, ...SIDE_BY_SIDE } },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.ts'],
          exclude: [...NOT_DRAWN, ...NEWEST_KUBERNETES, ...WITH_PROMETHEUS, 'node_modules/**'],
          ...ON_SERVERS,
          ...SIDE_BY_SIDE,
        },
      },
      {
        test: {
          name: 'e2e-1.37',
          include: [...NEWEST_KUBERNETES],
          env: { OUTRIGGER_E2E_KUBERNETES: '1.37' },
          ...ON_SERVERS,
          ...SIDE_BY_SIDE,
        },
      },
      // A benchmark of the built program on real servers; Karpenter's build takes some minutes.
      {
        test: {
          name: 'peers',
          include: ['test/bench/peers/*.e2e.ts'],
          env: { OUTRIGGER_E2E_PROGRAM: 'dist/cli/main.js' },
          ...ON_SERVERS,
          ...SIDE_BY_SIDE,
        },
      },
      { test: { name: 'e2e-prometheus', include: [...WITH_PROMETHEUS], ...ON_SERVERS, ...SIDE_BY_SIDE } },
    ],
  },
});
