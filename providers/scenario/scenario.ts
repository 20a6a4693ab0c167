import type { OptionDefaults } from '../../core/model/options.ts';
import { type Result, err, ok } from '../../core/model/result.ts';
import type { ProviderName, Scenario } from '../../core/model/scenario.ts';
import { EMPTY_STATE } from '../../core/model/state.ts';
import { formatTime } from '../../core/model/time.ts';
import {
  type Fields,
  type Manifest,
  integerIn,
  itemsIn,
  listIn,
  objectIn,
  readFields,
  stringIn,
} from '../manifest/fields.ts';
import { type Invalid, fieldOf, report } from '../manifest/invalid.ts';
import { writeObjects } from '../manifest/objects.ts';
import { closedNodeReader, writeClosedNode } from './closed-nodes.ts';
import { reportUnknownFields } from '../schema/known-fields.ts';
import { nodeGroupReader, reportClashes, writeNodeGroup } from './node-groups.ts';
import { readObjects } from './objects.ts';
import { optionsIn, writeOptions } from './options.ts';
import { stateReader, writeState } from './state.ts';
import { choiceIn, requiredTimeIn } from './values.ts';

export const API_VERSION = 'outrigger.dev/v1alpha1';

const FIELDS = [
  'apiVersion',
  'kind',
  'metadata',
  'provider',
  'now',
  'seed',
  'options',
  'nodeGroups',
  'objects',
  'closedNodes',
  'state',
];

const PROVIDERS: readonly ProviderName[] = ['aws', 'clusterapi'];

const DEFAULT_SEED = 1;

/**
 * Reads a scenario document, as YAML or JSON gives it.
 *
 * @param defaults whose default an absent option takes.
 * @returns the scenario, or everything that is wrong with the document.
 */
export function readScenario(
  raw: unknown,
  defaults: OptionDefaults = 'outrigger',
): Result<Scenario, readonly Invalid[]> {
  const problems: Invalid[] = [];
  const document = readFields(raw, '', problems);
  if (problems.length > 0) {
    return err(problems);
  }
  reportWrongDocument(document, problems);
  if (problems.length > 0) {
    // Whatever it is, its other fields mean something else.
    return err(problems);
  }
  const scenario = scenarioOf(document, defaults, problems);
  return problems.length === 0 ? ok(scenario) : err(problems);
}

function reportWrongDocument({ apiVersion, kind }: Fields, problems: Invalid[]): void {
  if (apiVersion !== API_VERSION) {
    report(problems, 'apiVersion', API_VERSION, apiVersion);
  }
  if (kind !== 'Scenario') {
    report(problems, 'kind', 'Scenario', kind);
  }
}

function scenarioOf(document: Fields, defaults: OptionDefaults, problems: Invalid[]): Scenario {
  reportUnknownFields(document, FIELDS, '', problems);
  const metadata = objectIn(document, 'metadata', '', problems);
  reportUnknownFields(metadata, ['name'], 'metadata', problems);
  const { objects, readPod } = readObjects(listIn(document, 'objects', '', problems), 'objects', problems);
  const nodes = new Map<string, Scenario['objects']['nodes'][number]>(objects.nodes.map((node) => [node.name, node]));
  const nodeGroups = itemsIn(document, 'nodeGroups', '', problems, nodeGroupReader(nodes, readPod));
  reportClashes(nodeGroups, 'nodeGroups', problems);
  const state = document['state'] ?? null;
  return {
    name: stringIn(metadata, 'name', 'metadata', problems),
    provider: choiceIn(document, 'provider', '', problems, PROVIDERS, 'aws'),
    now: requiredTimeIn(document, 'now', '', problems),
    seed: integerIn(document, 'seed', '', problems, DEFAULT_SEED),
    options: optionsIn(document, 'options', '', problems, defaults),
    nodeGroups,
    objects: { ...objects, closedNodes: itemsIn(document, 'closedNodes', '', problems, closedNodeReader) },
    state: state === null ? EMPTY_STATE : stateReader(state, fieldOf('', 'state'), problems),
  };
}

/** Writes a scenario as a document that reads as an equal scenario, whatever the defaults. */
export const writeScenario = (scenario: Scenario): Manifest => ({
  apiVersion: API_VERSION,
  kind: 'Scenario',
  metadata: { name: scenario.name },
  provider: scenario.provider,
  now: formatTime(scenario.now),
  seed: scenario.seed,
  options: writeOptions(scenario.options),
  nodeGroups: scenario.nodeGroups.map(writeNodeGroup),
  objects: writeObjects(scenario.objects),
  ...(scenario.objects.closedNodes.length > 0 && {
    closedNodes: scenario.objects.closedNodes.map(writeClosedNode),
  }),
  state: writeState(scenario.state),
});
