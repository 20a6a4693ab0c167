import { present } from '@outrigger/core/model/values/present.ts';
import type { PodTemplate } from '@outrigger/core/model/cluster/capacity-buffer.ts';
import { type AmountsSpec, NEW_POD, type Pod, type PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import { NO_RESOURCES, type Resources } from '@outrigger/core/model/values/resources.ts';
import { amountsIn, writeAmounts } from './amounts.ts';
import { containersIn } from './containers.ts';
import {
  type Fields,
  listIn,
  looseFields,
  type Manifest,
  manifest,
  objectIn,
  optionalObjectIn,
  readFields,
  stringIn,
  unlessBlank,
  unlessEmpty,
} from './fields.ts';
import { type Reader, fieldOf } from './invalid.ts';
import { annotationsOf, generationOf, labelsOf, metadataOf, nameOf, namespaceOf, writeMetadata } from './metadata.ts';
import { readPodSpec, writePodSpec } from './pod-spec.ts';

export const podTemplateReader: Reader<PodTemplate> = (raw, place, problems) => {
  const object = readFields(raw, place, problems);
  const metadata = metadataOf(object, place, problems);
  const [namespace, name] = [namespaceOf(metadata, problems), nameOf(metadata, problems)];
  const template = objectIn(object, 'template', place, problems);
  const at = fieldOf(place, 'template');
  const priorityClass = stringIn(
    objectIn(template, 'spec', at, []),
    'priorityClassName',
    fieldOf(at, 'spec'),
    problems,
  );
  return {
    namespace,
    name,
    generation: generationOf(metadata, problems),
    pod: { namespace, name, ...readTemplatePod(template, at, problems) },
    ...present({ priorityClass: unlessBlank(priorityClass) }),
    limits: limitsOf(objectIn(template, 'spec', at, [])),
  };
};

/** The containers' limits, read as requests. Mistakes in them are reported with the requests. */
function limitsOf(spec: Fields): AmountsSpec {
  const asRequests = (raw: unknown): unknown => {
    const resources = optionalObjectIn(readFields(raw, '', []), 'resources', '', []) ?? {};
    return { resources: { requests: resources['limits'] }, restartPolicy: readFields(raw, '', [])['restartPolicy'] };
  };
  const listed = (key: 'containers' | 'initContainers') =>
    containersIn({ [key]: listIn(spec, key, '', []).map(asRequests) }, key, '', []);
  return {
    containers: listed('containers'),
    initContainers: listed('initContainers'),
    overhead: NO_RESOURCES,
    podRequests: amountsIn(optionalObjectIn(spec, 'resources', '', []) ?? {}, 'limits', '', []),
  };
}

/** Reads a pod of a template, before it is bound, and without a controller and a name. */
export const templatePodReader =
  (readSpec: Reader<PodSpec>): Reader<Omit<Pod, 'namespace' | 'name'>> =>
  (raw, at, problems) => {
    const template = readFields(raw, at, problems);
    const metadata = metadataOf(template, at, problems);
    return {
      uid: '',
      labels: labelsOf(metadata, problems),
      annotations: annotationsOf(metadata, problems),
      createdAt: null,
      controller: null,
      ...NEW_POD,
      spec: readSpec(objectIn(template, 'spec', at, problems), fieldOf(at, 'spec'), problems),
    };
  };

const readTemplatePod = templatePodReader(readPodSpec);

/** Writes a template of pods without a controller's name. */
export const writePodTemplateSpec = ({ labels, annotations, spec }: Pod, priorityClassName?: string): Manifest => ({
  metadata: manifest({ labels: unlessEmpty(labels), annotations: unlessEmpty(annotations) }),
  spec: manifest({ priorityClassName, ...writePodSpec(spec, null) }),
});

/** Writes a template as a manifest that reads as an equal one. */
export function writePodTemplate(of: PodTemplate): Manifest {
  const { metadata, spec } = writePodTemplateSpec(of.pod, of.priorityClass);
  return {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: writeMetadata({ namespace: of.namespace, name: of.name, generation: of.generation }),
    template: { metadata, spec: withLimits(spec as Manifest, of.limits) },
  };
}

function withLimits(spec: Manifest, limits: AmountsSpec | undefined): Manifest {
  if (limits === undefined) {
    return spec;
  }
  const { containers, initContainers, podRequests } = limits;
  const limited = (resources: unknown, limits: Resources | null): Manifest | null =>
    unlessEmpty(manifest({ ...looseFields(resources), limits: unlessEmpty(writeAmounts(limits ?? {})) }));
  const each = (written: unknown, read: AmountsSpec['containers']) =>
    (written as readonly Manifest[] | undefined)?.map((container, i) =>
      manifest({ ...container, resources: limited(container['resources'], read[i]?.requests ?? null) }),
    );
  return manifest({
    ...spec,
    containers: each(spec['containers'], containers),
    initContainers: each(spec['initContainers'], initContainers),
    resources: limited(spec['resources'], podRequests),
  });
}
