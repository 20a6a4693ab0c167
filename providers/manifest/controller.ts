import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import { type Controller, type ControllerKind, usualApiVersion } from '@outrigger/core/model/cluster/workloads.ts';
import {
  type Manifest,
  type Section,
  type SectionReader,
  booleanIn,
  integerIn,
  manifest,
  nameIn,
  objectIn,
  stringIn,
} from './fields.ts';
import { namespaceOf, partsOf, writeMetadata } from './metadata.ts';
import { readDaemonSpec } from './pod-spec.ts';
import { templatePodReader, writePodTemplateSpec } from './pod-template.ts';

/** The field with a controller's desired number of pods. */
export const REPLICAS: Readonly<Record<ControllerKind, string | null>> = {
  ReplicaSet: 'replicas',
  Deployment: 'replicas',
  StatefulSet: 'replicas',
  ReplicationController: 'replicas',
  Job: 'parallelism',
  DaemonSet: null,
};

export function controllerReader(kind: ControllerKind): SectionReader<Controller> {
  const replicas = REPLICAS[kind];
  return (from) => {
    const { metadata, spec } = partsOf(from);
    const controller = {
      kind,
      namespace: namespaceOf(metadata),
      name: nameIn(metadata, 'name'),
      uid: stringIn(metadata, 'uid'),
    };
    if (kind === 'Job') {
      const status = objectIn(from, 'status');
      return { ...controller, replicas: jobReplicas(spec, status), template: null };
    }
    if (replicas === null) {
      return { ...controller, replicas, template: daemonPod(controller, objectIn(spec, 'template')) };
    }
    return { ...controller, replicas: integerIn(spec, replicas) ?? 1, template: null };
  };
}

/**
 * A Job's desired number of concurrent pods: none while it is suspended or once it is complete, and near its end the
 * number that must still succeed. Without `completions` no pod is started once one has succeeded.
 */
function jobReplicas(spec: Section, status: Section): number {
  const parallelism = integerIn(spec, 'parallelism') ?? 1;
  const completions = integerIn(spec, 'completions');
  const succeeded = integerIn(status, 'succeeded') ?? 0;
  if (booleanIn(spec, 'suspend')) {
    return 0;
  }
  const unlimited = succeeded > 0 ? 0 : parallelism;
  const left = completions === null ? unlimited : Math.max(0, completions - succeeded);
  return Math.min(parallelism, left);
}

const readTemplatePod = templatePodReader(readDaemonSpec);

/** The pod that a DaemonSet creates for a node, before it is bound. */
function daemonPod({ namespace, name, uid }: Pick<Controller, 'namespace' | 'name' | 'uid'>, template: Section): Pod {
  return {
    namespace,
    name,
    ...readTemplatePod(template),
    controller: { apiVersion: usualApiVersion('DaemonSet'), kind: 'DaemonSet', name, uid },
  };
}

/** Writes a controller as a manifest that reads as an equal one. */
export function writeController(of: Controller): Manifest {
  return {
    apiVersion: usualApiVersion(of.kind),
    kind: of.kind,
    metadata: writeMetadata({ namespace: of.namespace, name: of.name, uid: of.uid }),
    spec: manifest({
      [REPLICAS[of.kind] ?? 'replicas']: of.replicas,
      template: mapOptional(of.template, (pod) => writePodTemplateSpec(pod)),
    }),
  };
}
