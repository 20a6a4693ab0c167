import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const here = import.meta.dirname;
const run = promisify(execFile);

/** Folder of the built servers: git-ignored, with a folder for each version. */
export const cacheFolder = path.resolve(process.env['OUTRIGGER_E2E_CACHE'] ?? path.join(here, '../../../.cache/e2e'));

/** An artefact to build, and the files that determine its contents. */
interface Artefact {
  readonly name: string;
  /** Pinned inputs; the first match of `version` in the first of them names the folder for a reader. */
  readonly inputs: readonly string[];
  readonly version: RegExp;
  readonly tools: Readonly<Record<string, string>>;
  build(out: string, version: string): Promise<void>;
}

/** Folders of the built servers. */
export interface Servers {
  /** `kube-apiserver`, `kube-scheduler`, `kube-controller-manager`. */
  readonly controlPlane: string;
  /** The same programs of the newest Kubernetes whose scheduler is followed. */
  readonly newestControlPlane: string;
  /** `etcd`. */
  readonly etcd: string;
  /** `kwok` and its `stages.yaml`. */
  readonly kwok: string;
  /** `helm`. */
  readonly helm: string;
  /** `tofu`, where Terraform is not installed. */
  readonly opentofu: string;
  /** `prometheus` and `promtool`. */
  readonly prometheus: string;
  /** `cluster-api`, which is Cluster API's controller manager, with its `crds.yaml` and `webhooks.yaml`. */
  readonly clusterApi: string;
  /** `kwok`, which is Karpenter with its provider for kwok's nodes, and its `crds.yaml`. */
  readonly karpenter: string;
  /** `vale`, which compares texts with rules of style. */
  readonly vale: string;
  /** A Python virtual environment. */
  readonly moto: string;
  /** Jars and native libraries of DynamoDB Local. */
  readonly dynamodb: string;
  /** `node_modules` with Lambda's runtime interface client. */
  readonly lambdaRuntime: string;
}

const goModule = (name: string) => path.join(here, 'modules', name);
const goInputs = (name: string) => ['go.mod', 'go.sum'].map((file) => path.join(goModule(name), file));
/** With the toolchain on the host, or a clear failure: Go would otherwise download another one in silence. */
const goEnvironment = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', GOWORK: 'off' };
/** Modules that need a newer toolchain, which Go downloads. */
const NEWER_TOOLCHAINS: Readonly<Record<string, string>> = { karpenter: 'go1.26.9' };

const goOptions = (module: string) => ({
  cwd: goModule(module),
  env: { ...goEnvironment, GOTOOLCHAIN: NEWER_TOOLCHAINS[module] ?? goEnvironment.GOTOOLCHAIN },
});

async function goBuild(
  module: string,
  out: string,
  packages: readonly string[],
  ...more: readonly string[]
): Promise<void> {
  const flags = ['-trimpath', '-ldflags=-s -w', ...more, '-o', `${out}/`];
  await visibly('go', ['build', ...flags, ...packages], goOptions(module));
}

const controlPlane = (module: string): Artefact => ({
  name: 'control-plane',
  inputs: goInputs(module),
  version: /k8s\.io\/kubernetes v(\S+)/,
  tools: { go: 'builds kube-apiserver, kube-scheduler and kube-controller-manager' },
  build(out, version) {
    // Without the variable, /version answers v0.0.0-master.
    const variable = `-X k8s.io/component-base/version.gitVersion=v${version}`;
    const commands = ['kube-apiserver', 'kube-scheduler', 'kube-controller-manager'];
    return goBuild(
      module,
      out,
      commands.map((command) => `k8s.io/kubernetes/cmd/${command}`),
      `-ldflags=-s -w ${variable}`,
    );
  },
});

/** Folder of the sources of a Go module that another one depends on. */
async function goSources(module: string, dependency: string): Promise<string> {
  return (await run('go', ['list', '-m', '-f', '{{.Dir}}', dependency], goOptions(module))).stdout.trim();
}

/** The texts of some files of a folder, in the order of the files' names. */
async function filesOf(folder: string, is: (file: string) => boolean): Promise<readonly string[]> {
  const files = (await readdir(folder)).filter(is).sort();
  return Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
}

const artefacts: Readonly<Record<keyof Servers, Artefact>> = {
  controlPlane: controlPlane('controlplane'),
  newestControlPlane: controlPlane('newestcontrolplane'),
  etcd: {
    name: 'etcd',
    inputs: goInputs('etcd'),
    version: /go\.etcd\.io\/etcd\/server\/v3 v(\S+)/,
    tools: { go: 'builds etcd' },
    async build(out) {
      await goBuild('etcd', out, ['go.etcd.io/etcd/server/v3']);
      await rename(path.join(out, 'server'), path.join(out, 'etcd'));
    },
  },
  kwok: {
    name: 'kwok',
    inputs: goInputs('kwok'),
    version: /sigs\.k8s\.io\/kwok v(\S+)/,
    tools: { go: 'builds kwok, which plays the kubelets' },
    async build(out) {
      await goBuild('kwok', out, ['sigs.k8s.io/kwok/cmd/kwok']);
      const sources = await goSources('kwok', 'sigs.k8s.io/kwok');
      const documents: string[] = [];
      for (const stage of ['node/fast', 'node/heartbeat-with-lease', 'pod/fast']) {
        const folder = path.join(sources, 'kustomize/stage', stage);
        const prefix = `${stage.slice(0, stage.indexOf('/'))}-`;
        documents.push(...(await filesOf(folder, (file) => file.startsWith(prefix))));
      }
      await writeFile(path.join(out, 'stages.yaml'), documents.join('\n---\n'));
    },
  },
  helm: {
    name: 'helm',
    inputs: goInputs('helm'),
    version: /helm\.sh\/helm\/v3 v(\S+)/,
    tools: { go: 'builds helm, which renders the chart' },
    build: (out) => goBuild('helm', out, ['helm.sh/helm/v3/cmd/helm']),
  },
  opentofu: {
    name: 'opentofu',
    inputs: goInputs('opentofu'),
    version: /github\.com\/opentofu\/opentofu v(\S+)/,
    tools: { go: 'builds OpenTofu, which evaluates the Terraform module' },
    build: (out) => goBuild('opentofu', out, ['github.com/opentofu/opentofu/cmd/tofu']),
  },
  prometheus: {
    name: 'prometheus',
    inputs: goInputs('prometheus'),
    version: /github\.com\/prometheus\/prometheus v(\S+)/,
    tools: { go: 'builds Prometheus, which scrapes the metrics' },
    build: (out) =>
      goBuild(
        'prometheus',
        out,
        ['prometheus', 'promtool'].map((command) => `github.com/prometheus/prometheus/cmd/${command}`),
        // Without the discovery of clouds, whose clients take most of the build.
        '-tags=remove_all_sd',
      ),
  },
  clusterApi: {
    name: 'cluster-api',
    inputs: goInputs('clusterapi'),
    version: /sigs\.k8s\.io\/cluster-api v(\S+)/,
    tools: { go: "builds Cluster API's controller manager" },
    async build(out) {
      await goBuild('clusterapi', out, ['sigs.k8s.io/cluster-api']);
      const config = path.join(await goSources('clusterapi', 'sigs.k8s.io/cluster-api'), 'config');
      const crds = await filesOf(path.join(config, 'crd/bases'), (file) => file.endsWith('.yaml'));
      await writeFile(path.join(out, 'crds.yaml'), crds.join('\n---\n'));
      await copyFile(path.join(config, 'webhook/manifests.yaml'), path.join(out, 'webhooks.yaml'));
    },
  },
  karpenter: {
    name: 'karpenter',
    inputs: goInputs('karpenter'),
    version: /sigs\.k8s\.io\/karpenter v(\S+)/,
    tools: { go: "builds Karpenter with its provider for kwok's nodes" },
    async build(out) {
      await goBuild('karpenter', out, ['sigs.k8s.io/karpenter/kwok']);
      const sources = await goSources('karpenter', 'sigs.k8s.io/karpenter');
      const crds = await Promise.all(
        ['pkg/apis/crds', 'kwok/apis/crds'].map((folder) =>
          filesOf(path.join(sources, folder), (file) => file.endsWith('.yaml')),
        ),
      );
      await writeFile(path.join(out, 'crds.yaml'), crds.flat().join('\n---\n'));
    },
  },
  vale: {
    name: 'vale',
    inputs: goInputs('vale'),
    version: /github\.com\/vale-cli\/vale\/v3 v(\S+)/,
    tools: { go: 'builds Vale, which checks the documentation', gcc: "builds Vale's parsers" },
    build: (out) => goBuild('vale', out, ['github.com/vale-cli/vale/v3/cmd/vale']),
  },
  moto: {
    name: 'moto',
    inputs: [path.join(here, 'moto/requirements.txt')],
    version: /^moto==(\S+)/m,
    tools: { python3: 'runs moto, which plays AWS' },
    async build(out) {
      await visibly('python3', ['-m', 'venv', out]);
      const requirements = path.join(here, 'moto/requirements.txt');
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '-r', requirements];
      await visibly(path.join(out, 'bin/python'), pip);
    },
  },
  dynamodb: {
    name: 'dynamodb-local',
    inputs: [path.join(here, 'dynamodb/pom.xml')],
    version: /DynamoDBLocal<\/artifactId>\s*<version>([^<]+)/,
    tools: { java: 'runs DynamoDB Local', mvn: 'downloads DynamoDB Local' },
    build: (out) =>
      visibly('mvn', [
        '--quiet',
        '--batch-mode',
        '--file',
        path.join(here, 'dynamodb/pom.xml'),
        'dependency:copy-dependencies',
        `-DoutputDirectory=${out}`,
      ]),
  },
  lambdaRuntime: {
    name: 'lambda-runtime',
    inputs: ['package.json', 'package-lock.json'].map((file) => path.join(here, 'lambda-runtime', file)),
    version: /"aws-lambda-ric": "([^"]+)"/,
    tools: { npm: 'installs the Lambda runtime', cmake: 'builds its HTTP client', 'g++': 'builds its HTTP client' },
    async build(out) {
      for (const file of ['package.json', 'package-lock.json'])
        await copyFile(path.join(here, 'lambda-runtime', file), path.join(out, file));
      // With its install script: it builds the client, which is native code.
      await visibly('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts=false'], { cwd: out });
    },
  },
};

/** Programs that take long to build, and that few checks need. */
const ON_DEMAND = ['newestControlPlane', 'helm', 'opentofu', 'prometheus', 'karpenter', 'vale'] as const;
type EndToEndServer = Exclude<keyof Servers, (typeof ON_DEMAND)[number]>;

/**
 * Builds the servers that are missing, one after another (each build uses all cores), and says what it builds and how
 * long that takes. Nothing missing: some milliseconds.
 *
 * @throws when a tool is not installed (named with what it is for) or a build fails.
 */
export async function ensureServers<K extends keyof Servers = EndToEndServer>(
  names: readonly K[] = Object.keys(artefacts).filter(
    (name) => !(ON_DEMAND as readonly string[]).includes(name),
  ) as K[],
): Promise<Pick<Servers, K>> {
  const folders: Partial<Record<K, string>> = {};
  for (const name of names) folders[name] = await ensure(artefacts[name]);
  return folders as Pick<Servers, K>;
}

/** Each build downloads what it needs, and a registry may be out of reach for a moment. */
const DOWNLOAD_ATTEMPTS = 3;
const PAUSE_MS = 10_000;

async function ensure(artefact: Artefact): Promise<string> {
  const inputs = await Promise.all(artefact.inputs.map((file) => readFile(file, 'utf8')));
  const version = artefact.version.exec(inputs[0]!)?.[1];
  if (version === undefined) throw new Error(`No version of ${artefact.name} in ${artefact.inputs[0]}`);
  const digest = createHash('sha256').update(inputs.join('\0')).digest('hex').slice(0, 8);
  const folder = path.join(cacheFolder, `${artefact.name}-${version}-${digest}`);
  // `java` and `python3` are needed at run time too: a cache from elsewhere must not hide that they are missing.
  for (const [tool, purpose] of Object.entries(artefact.tools)) requireTool(tool, purpose);
  if (existsSync(folder)) return folder;

  process.stdout.write(`e2e: building ${artefact.name} ${version}\n`);
  const start = performance.now();
  for (let attempt = 1; !existsSync(folder); attempt += 1) {
    const building = path.join(cacheFolder, `.building-${artefact.name}-${process.pid}`);
    try {
      await rm(building, { recursive: true, force: true });
      await mkdir(building, { recursive: true });
      await artefact.build(building, version);
      await rename(building, folder);
    } catch (error) {
      await rm(building, { recursive: true, force: true });
      // Another run was building the same thing and was first: its folder is as good.
      if (existsSync(folder)) break;
      if (attempt === DOWNLOAD_ATTEMPTS) {
        throw new Error(`Building ${artefact.name} ${version} failed, ${attempt} times`, { cause: error });
      }
      process.stdout.write(`e2e: ${artefact.name} could not be built; once more in ${PAUSE_MS / 1000} s\n`);
      await delay(PAUSE_MS);
    }
  }
  process.stdout.write(`e2e: built ${artefact.name} ${version} in ${seconds(performance.now() - start)}\n`);
  return folder;
}

function requireTool(tool: string, purpose: string): void {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  if (folders.some((folder) => existsSync(path.join(folder, tool)))) return;
  throw new Error(
    `${tool} is not on PATH; the end-to-end tests, or the check of the documentation, need it: it ${purpose}. Install it and run again.`,
  );
}

/** Runs a build command with its output shown, as some take minutes. */
function visibly(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}`));
    });
  });
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
