import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import { type Controller, type ControllerKind, usualApiVersion } from '@outrigger/core/model/cluster/workloads.ts';
import { type Fields, type Manifest, booleanIn, integerIn, manifest, objectIn } from './fields.ts';
import { type Invalid, type Reader, fieldOf } from './invalid.ts';
import { nameOf, namespaceOf, partsOf, uidOf, writeMetadata } from './metadata.ts';
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

export function controllerReader(kind: ControllerKind): Reader<Controller> {
  const replicas = REPLICAS[kind];
  return (raw, place, problems) => {
    const { object, metadata, spec, at } = partsOf(raw, place, problems);
    const controller = {
      kind,
      namespace: namespaceOf(metadata, problems),
      name: nameOf(metadata, problems),
      uid: uidOf(metadata, problems),
    };
    if (kind === 'Job') {
      const status = objectIn(object, 'status', place, problems);
      return { ...controller, replicas: jobReplicas(spec, status, place, problems), template: null };
    }
    if (replicas === null) {
      return { ...controller, replicas, template: daemonPod(controller, spec, at, problems) };
    }
    return { ...controller, replicas: integerIn(spec, replicas, at, problems) ?? 1, template: null };
  };
}

/**
 * A Job's desired number of concurrent pods: none while it is suspended or once it is complete, and near its end the
 * number that must still succeed. Without `completions` no pod is started once one has succeeded.
 */
function jobReplicas(spec: Fields, status: Fields, place: string, problems: Invalid[]): number {
  const at = fieldOf(place, 'spec');
  const parallelism = integerIn(spec, 'parallelism', at, problems) ?? 1;
  const completions = integerIn(spec, 'completions', at, problems);
  const succeeded = integerIn(status, 'succeeded', fieldOf(place, 'status'), problems) ?? 0;
  if (booleanIn(spec, 'suspend', at, problems)) {
    return 0;
  }
  const unlimited = succeeded > 0 ? 0 : parallelism;
  const left = completions === null ? unlimited : Math.max(0, completions - succeeded);
  return Math.min(parallelism, left);
}

const readTemplatePod = templatePodReader(readDaemonSpec);

/** The pod that a DaemonSet creates for a node, before it is bound. */
function daemonPod(
  { namespace, name, uid }: Pick<Controller, 'namespace' | 'name' | 'uid'>,
  spec: Fields,
  place: string,
  problems: Invalid[],
): Pod {
  const template = objectIn(spec, 'template', place, problems);
  return {
    namespace,
    name,
    ...readTemplatePod(template, fieldOf(place, 'template'), problems),
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
