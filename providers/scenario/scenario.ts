import { nonEmpty, present } from '@outrigger/core/model/values/present.ts';
import type { OptionDefaults } from '@outrigger/core/model/options.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { EMPTY_STATE } from '@outrigger/core/model/state.ts';
import { type Manifest, listIn, type Section, sectionOf } from '../manifest/fields.ts';
import { type Invalid, itemOf, report } from '../manifest/invalid.ts';
import { writeObjects } from '../manifest/objects.ts';
import { API_VERSION } from '../schema/names.ts';
import { readBy, writeBy } from '../schema/read.ts';
import { scenario } from '../schema/scenario.ts';
import { splitLaunchFailures } from './launch-failures.ts';
import { nodeGroupReader, reportClashes, writeNodeGroup } from './node-groups.ts';
import { readObjects } from './objects.ts';
import { optionsIn, writeOptions } from './options.ts';

/**
 * Reads a scenario document, as parsed from YAML or JSON.
 *
 * @param defaults whose default an absent option takes.
 * @returns the scenario, or everything that is wrong with the document.
 */
export function readScenario(
  raw: unknown,
  defaults: OptionDefaults = 'outrigger',
): Result<Scenario, readonly Invalid[]> {
  const problems: Invalid[] = [];
  const document = sectionOf(raw, '', problems);
  if (problems.length > 0) {
    return err(problems);
  }
  reportWrongDocument(document);
  if (problems.length > 0) {
    // The fields of another kind have other meanings.
    return err(problems);
  }
  const read = scenarioOf(document, defaults);
  return read !== null && problems.length === 0 ? ok(read) : err(problems);
}

function reportWrongDocument({ fields, problems }: Section): void {
  const { apiVersion, kind } = fields;
  if (apiVersion !== API_VERSION) {
    report(problems, 'apiVersion', API_VERSION, apiVersion);
  }
  if (kind !== 'Scenario') {
    report(
      problems,
      'kind',
      kind === 'Workload' ? 'Scenario (outrigger demo --load runs a Workload)' : 'Scenario',
      kind,
    );
  }
}

function scenarioOf(document: Section, defaults: OptionDefaults): Scenario | null {
  const { problems } = document;
  const head = readBy(scenario, document.fields, '', problems);
  const options = optionsIn(document, defaults);
  const { objects, readPod } = readObjects(listIn(document, 'objects'), 'objects', problems);
  const nodes = new Map<string, Scenario['objects']['nodes'][number]>(objects.nodes.map((node) => [node.name, node]));
  const readGroup = nodeGroupReader({ nodes, readPod });
  const nodeGroups = listIn(document, 'nodeGroups').map((raw, n) => readGroup(raw, itemOf('nodeGroups', n), problems));
  reportClashes(nodeGroups, 'nodeGroups', problems);
  if (head === null) {
    return null;
  }
  const { metadata, provider, now, seed, kubernetesVersion, excludedNodes, state } = head;
  const { notices, pauses, commitments, externalChoices } = head;
  return {
    name: metadata.name,
    provider,
    now,
    seed,
    options,
    nodeGroups: nodeGroups.filter((group) => group !== null).map(splitLaunchFailures),
    objects: {
      ...objects,
      excludedNodes,
      ...present({ kubernetesMinor: kubernetesVersion }),
    },
    state: state ?? EMPTY_STATE,
    ...nonEmpty({ notices, pauses, commitments, externalChoices }),
  };
}

/** Writes a scenario as a document that reads as an equal scenario, whatever the defaults. */
export const writeScenario = (given: Scenario): Manifest =>
  writeBy(scenario, {
    ...given,
    apiVersion: API_VERSION,
    kind: 'Scenario',
    metadata: { name: given.name },
    kubernetesVersion: given.objects.kubernetesMinor,
    options: writeOptions(given.options),
    nodeGroups: given.nodeGroups.map(writeNodeGroup),
    objects: writeObjects(given.objects),
    excludedNodes: given.objects.excludedNodes,
    notices: given.notices ?? [],
    pauses: given.pauses ?? [],
    commitments: given.commitments ?? [],
    externalChoices: given.externalChoices ?? [],
  }) as Manifest;
