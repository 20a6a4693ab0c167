import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFECTS } from '../../test/planted/defects.ts';
import { rowsOf } from '../../test/planted/page.ts';
import { draw } from '../../test/sample.ts';

/** A check, or what other checks need. */
export interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: readonly string[]];
  readonly environment?: Readonly<Record<string, string>>;
  /** `tests`: the command runs vitest, and each of its tests counts. */
  readonly counts: 'once' | 'tests';
  /** Cores that the command keeps busy: end-to-end tests wait most of the time. */
  readonly cores: number;
  /** Names of steps that must pass before. */
  readonly needs?: readonly string[];
}

/** Whatever depends on no server keeps one core busy, or is told to. */
const script = (name: string, ...args: readonly string[]): Step['command'] => [
  'npm',
  'run',
  '--silent',
  name,
  ...(args.length === 0 ? [] : ['--', ...args]),
];
const step = (name: string, command: Step['command'], more: Partial<Step> = {}): Step => ({
  name,
  command,
  counts: 'once',
  cores: 1,
  ...more,
});

/** Older commits may have longer subjects. */
const SUBJECTS_SINCE = '47c7e74f';

const SERVERS = step('e2e servers', ['npx', 'node', 'test/e2e/servers/build.ts']);
/** The build takes ten minutes of CPU on a cold cache: too long for every change. */
const NEWEST_SERVERS = step('servers of Kubernetes 1.37', [...SERVERS.command, 'newestControlPlane'], {
  needs: [SERVERS.name],
});
/** Pages are looked at with a browser; where there is none it is Debian's. */
const CHROMIUM = step('chromium', [
  'bash',
  '-c',
  'command -v chromium || { apt-get update -q && apt-get install -yq --no-install-recommends chromium; }',
]);
const onServers = (name: string, command: Step['command'], more: Partial<Step> = {}): Step =>
  step(name, command, { needs: [SERVERS.name], ...more });
const faults = (provider: string, seeds: number, seed: number, name = `faults on ${provider}`): Step =>
  step(name, script('simulate-faults', '--provider', provider, '--seeds', String(seeds), '--seed', String(seed)));
const hostile = (cases: number, seed: number): Step =>
  step('hostile objects', script('simulate-hostile', '--cases', String(cases), '--seed', String(seed)));
const fuzz = (cases: number, seed: number): Step =>
  step('fuzzing', script('fuzz', '--cases', String(cases), '--seed', String(seed)));
const AWS_MODELS = onServers('requests to AWS and answers of its stand-ins', script('aws-models'));
const conformance = (clusters: number, seed: number, version: string, servers: Step): Step =>
  step(
    `conformance with ${version}`,
    script('conformance', '--clusters', String(clusters), '--seed', String(seed), '--kubernetes', version),
    { needs: [servers.name] },
  );

/** Defects planted in copies of the tree, which tests or a simulation must find. */
const planted = (name: string, ...args: readonly string[]): Step => step(name, script('planted', ...args));

/** Defects that the fault simulation finds within few seeds, in less than a minute of searching. */
const soonFound = (): readonly string[] =>
  rowsOf(readFileSync(join(import.meta.dirname, '../../docs/planted-defects.md'), 'utf8')).flatMap(
    ([id, , , simulation]) => (FOR_FAULTS.has(id!) && /^seed [1-8]:/.test(simulation!) ? id! : []),
  );
const FOR_FAULTS = new Set(DEFECTS.flatMap(({ id, simulation }) => (simulation === 'hostile' ? [] : id)));

/** The checks of every change, in the order in which steps begin. Long checks run in part: `seed` draws the part. */
export const ofEveryChange = (seed: number): readonly Step[] => [
  SERVERS,
  onServers('end-to-end tests', script('test:e2e'), {
    environment: { OUTRIGGER_SAMPLE: String(seed) },
    counts: 'tests',
  }),
  step('npm test', script('test'), { counts: 'tests', cores: 2 }),
  step('lint', script('lint')),
  step('types', script('types')),
  step('subjects of commits', ['npx', 'node', 'scripts/commit-subjects.ts', SUBJECTS_SINCE]),
  step('size of the code', script('measure', '--check')),
  step('documentation', script('docs:check')),
  step('site of the documentation', script('docs:site')),
  step('dependencies', script('dependencies')),
  step('demo', script('demo')),
  step('cdk synth', ['npx', 'cdk', 'synth', '--quiet', '--no-notices']),
  CHROMIUM,
  step('pages in a browser', script('test:browser'), { counts: 'tests', needs: [CHROMIUM.name] }),
  step('tests of simulations', script('test:simulation'), { counts: 'tests' }),
  step('size and cost', script('test:size')),
  // The same for every change, enough to judge how often invariants are armed; and new ones.
  faults('aws', 200, 1_001),
  faults('clusterapi', 30, 1),
  faults('aws', 20, seed, 'new faults on aws'),
  faults('clusterapi', 10, seed, 'new faults on clusterapi'),
  hostile(1_200, seed),
  fuzz(8, seed),
  conformance(60, seed, '1.35', SERVERS),
  AWS_MODELS,
  planted('planted defects', '--by', 'units', '--only', ...draw(DEFECTS, 2, seed).map(({ id }) => id)),
  planted('simulated defects', '--by', 'simulation', '--trees', '1', '--only', ...draw(soonFound(), 2, seed)),
];

/** All that `ofEveryChange` checks a part of. */
export const everyNight = (seed: number): readonly Step[] => [
  SERVERS,
  onServers('end-to-end tests', script('test:e2e'), { counts: 'tests' }),
  step('other cases and order', script('test', `--sequence.seed=${seed}`, '--sequence.shuffle.files'), {
    environment: { FC_SEED: String(seed) },
    counts: 'tests',
  }),
  step('more cases', script('test', 'test/core', 'test/providers', 'test/simulation', 'test/cli/demo'), {
    environment: { CASES: '20', FC_SEED: String(seed) },
    counts: 'tests',
  }),
  step('idle hours of large clusters', script('test', 'test/cdk/cost.test.ts', '-t', 'idle hour'), {
    environment: { COUNT_ALL: '1' },
    counts: 'tests',
  }),
  step('tests of simulations', script('test:simulation'), { counts: 'tests' }),
  step('size and cost', script('test:size')),
  faults('aws', 1_000, seed),
  faults('clusterapi', 1_000, seed),
  hostile(20_000, seed),
  fuzz(80, seed),
  conformance(300, seed, '1.35', SERVERS),
  NEWEST_SERVERS,
  conformance(300, seed, '1.37', NEWEST_SERVERS),
  step('end-to-end tests on 1.37', ['npx', 'vitest', 'run', '--project', 'e2e-1.37'], {
    needs: [NEWEST_SERVERS.name],
    counts: 'tests',
  }),
  onServers('metrics in Prometheus', ['npx', 'vitest', 'run', '--project', 'e2e-prometheus'], { counts: 'tests' }),
  AWS_MODELS,
  planted('planted defects'),
  step('mutants', script('mutate', '--mutants', '200', '--seed', String(seed))),
];
