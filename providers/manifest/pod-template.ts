import { present } from '@outrigger/core/model/values/present.ts';
import type { PodTemplate } from '@outrigger/core/model/cluster/capacity-buffer.ts';
import { type AmountsSpec, NEW_POD, type Pod, type PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import { NO_RESOURCES, type Resources } from '@outrigger/core/model/values/resources.ts';
import { amountsIn, writeAmounts } from './amounts.ts';
import { containersIn } from './containers.ts';
import {
  type Fields,
  type Manifest,
  type Section,
  type SectionReader,
  integerIn,
  labelsIn,
  looseFields,
  manifest,
  nameIn,
  objectIn,
  sectionsIn,
  stringIn,
  unlessBlank,
  unlessEmpty,
  unreported,
} from './fields.ts';
import { namespaceOf, writeMetadata } from './metadata.ts';
import { readPodSpec, writePodSpec } from './pod-spec.ts';

export const podTemplateReader: SectionReader<PodTemplate> = (from) => {
  const metadata = objectIn(from, 'metadata');
  const [namespace, name] = [namespaceOf(metadata), nameIn(metadata, 'name')];
  const template = objectIn(from, 'template');
  const spec = objectIn(unreported(template), 'spec');
  const priorityClass = stringIn({ ...spec, problems: from.problems }, 'priorityClassName');
  return {
    namespace,
    name,
    generation: integerIn(metadata, 'generation') ?? 0,
    pod: { namespace, name, ...readTemplatePod(template) },
    ...present({ priorityClass: unlessBlank(priorityClass) }),
    limits: limitsOf(spec),
  };
};

/** The containers' limits, read as requests. Mistakes in them are reported with the requests. */
function limitsOf(spec: Section): AmountsSpec {
  const asRequests = (container: Section): Fields => ({
    resources: { requests: objectIn(container, 'resources').fields['limits'] },
    restartPolicy: container.fields['restartPolicy'],
  });
  const listed = (key: 'containers' | 'initContainers') =>
    containersIn({ ...spec, fields: { [key]: [...sectionsIn(spec, key)].map(asRequests) } }, key);
  return {
    containers: listed('containers'),
    initContainers: listed('initContainers'),
    overhead: NO_RESOURCES,
    podRequests: amountsIn(objectIn(spec, 'resources'), 'limits'),
  };
}

/** Reads a pod of a template, before it is bound, and without a controller and a name. */
export const templatePodReader =
  (readSpec: SectionReader<PodSpec>): SectionReader<Omit<Pod, 'namespace' | 'name'>> =>
  (template) => {
    const metadata = objectIn(template, 'metadata');
    return {
      uid: '',
      labels: labelsIn(metadata, 'labels'),
      annotations: labelsIn(metadata, 'annotations'),
      createdAt: null,
      controller: null,
      ...NEW_POD,
      spec: readSpec(objectIn(template, 'spec')),
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
