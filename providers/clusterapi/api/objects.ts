import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { apiGroupOf } from '@outrigger/core/model/cluster/workloads.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import {
  type Section,
  type SectionReader,
  booleanIn,
  integerIn,
  labelsIn,
  nameIn,
  objectIn,
  optionalNameIn,
  optionalObjectIn,
  optionalStringIn,
  sectionsIn,
  stringIn,
  stringsIn,
  timeIn,
} from '../../manifest/fields.ts';
import { controllerOf } from '../../manifest/metadata.ts';
import { taintsIn } from '../../manifest/taints.ts';
import { type ApiKeys, type ScalableKind, keysOf } from './resources.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** Fields that all of these objects have. */
export interface ClusterApiObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly createdAt: EpochMs | null;
  readonly deletedAt: EpochMs | null;
  /**
   * Annotated as paused: the controller leaves the object alone. `spec.paused` of a Cluster counts, too; `spec.paused`
   * of a MachineDeployment stops its rollouts only.
   */
  readonly paused: boolean;
}

/** The owner reference with `controller: true`. */
export interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Why an object failed, as its status says. */
export interface Failure {
  readonly reason: string;
  readonly message: string;
}

/** `spec.template.spec.infrastructureRef`: the template that infrastructure machines are made from. */
export interface InfrastructureRef {
  readonly apiGroup: string;
  /** API version of the contract v1beta1; `null` in v1beta2, where the version is that of the resource's CRD. */
  readonly apiVersion: string | null;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A MachineDeployment, MachineSet or MachinePool. */
export interface ScalableResource extends ClusterApiObject {
  readonly kind: ScalableKind;
  readonly clusterName: string | null;
  /** `spec.replicas`. Absent: 1, Cluster API's default. */
  readonly replicas: number;
  /** `status.replicas`: the number of existing machines. */
  readonly currentReplicas: number;
  /** `status.selector`: the labels of its Machines, as the parameter `labelSelector` takes them; `''` before it is set. */
  readonly selector: string;
  readonly owner: Owner | null;
  /**
   * MachineDeployment with the strategy `OnDelete`: rollouts replace deleted Machines, and delete none themselves. Not
   * while its rollouts are paused: a smaller size is then taken from its MachineSets in another order.
   */
  readonly onDelete: boolean;
  readonly infrastructure: InfrastructureRef | null;
  readonly template: {
    /** Labels of its Machines, of which Cluster API passes on some to Nodes. */
    readonly labels: Labels;
    /** `spec.template.spec.metadata.labels` of machine.openshift.io, all of which Nodes get. */
    readonly nodeLabels: Labels;
    readonly taints: readonly Taint[];
    /** `spec.template.spec.version`: Kubernetes' on new nodes; `null` where the template does not state it. */
    readonly version: string | null;
  };
  /** `spec.providerIDList` of a MachinePool. */
  readonly providerIds: readonly string[];
  /** Why it cannot create machines. */
  readonly failure: Failure | null;
}

export interface Machine extends ClusterApiObject {
  readonly clusterName: string | null;
  readonly providerId: string | null;
  /** Name of its Node. */
  readonly nodeRef: string | null;
  readonly zone: string | null;
  /** `spec.version`: Kubernetes' on its node; `null` where the Machine does not state it. */
  readonly version: string | null;
  readonly phase: string | null;
  readonly failure: Failure | null;
  readonly owner: Owner | null;
}

export type CapiCluster = ClusterApiObject;

/** Reads a scalable resource of any of the versions in use. */
export function scalableReader(kind: ScalableKind, group: string): SectionReader<ScalableResource> {
  const keys = keysOf(group);
  return (from) => {
    const { metadata, own, spec, status } = partsOf(from, keys);
    const template = objectIn(spec, 'template');
    const machineSpec = objectIn(template, 'spec');
    return {
      ...own,
      kind,
      clusterName: optionalNameIn(spec, 'clusterName') ?? own.labels[keys.clusterName] ?? null,
      replicas: integerIn(spec, 'replicas') ?? 1,
      currentReplicas: integerIn(status, 'replicas') ?? 0,
      selector: stringIn(status, 'selector'),
      owner: ownerOf(metadata),
      onDelete: kind === 'MachineDeployment' && strategyIn(spec) === 'OnDelete' && !booleanIn(spec, 'paused'),
      infrastructure: infrastructureIn(machineSpec, own.namespace),
      template: {
        labels: labelsIn(objectIn(template, 'metadata'), 'labels'),
        nodeLabels: labelsIn(objectIn(machineSpec, 'metadata'), 'labels'),
        taints: taintsIn(machineSpec, 'taints'),
        version: optionalNameIn(machineSpec, 'version'),
      },
      providerIds: stringsIn(spec, 'providerIDList'),
      failure: failureIn(status) ?? creationFailureIn(status),
    };
  };
}

export function machineReader(group: string): SectionReader<Machine> {
  const keys = keysOf(group);
  return (from) => {
    const { metadata, own, spec, status } = partsOf(from, keys);
    const phase = optionalNameIn(status, 'phase');
    return {
      ...own,
      clusterName: optionalNameIn(spec, 'clusterName') ?? own.labels[keys.clusterName] ?? null,
      providerId: optionalNameIn(spec, 'providerID'),
      nodeRef: nodeRefIn(status),
      zone:
        optionalNameIn(spec, 'failureDomain') ??
        optionalNameIn(status, 'failureDomain') ??
        own.labels[keys.zone] ??
        null,
      version: optionalNameIn(spec, 'version'),
      phase,
      failure: failureIn(status) ?? (phase === 'Failed' ? { reason: '', message: '' } : null),
      owner: ownerOf(metadata),
    };
  };
}

export function readClusterObject(group: string): SectionReader<CapiCluster> {
  const keys = keysOf(group);
  return (from) => {
    const { own, spec } = partsOf(from, keys);
    return { ...own, paused: own.paused || booleanIn(spec, 'paused') };
  };
}

function partsOf(from: Section, keys: ApiKeys) {
  const [metadata, spec] = [objectIn(from, 'metadata'), objectIn(from, 'spec')];
  const annotations = labelsIn(metadata, 'annotations');
  const own: ClusterApiObject = {
    // The API server always sets it: a default would be another object's.
    namespace: nameIn(metadata, 'namespace'),
    name: nameIn(metadata, 'name'),
    uid: stringIn(metadata, 'uid'),
    resourceVersion: stringIn(metadata, 'resourceVersion'),
    labels: labelsIn(metadata, 'labels'),
    annotations,
    createdAt: timeIn(metadata, 'creationTimestamp'),
    deletedAt: timeIn(metadata, 'deletionTimestamp'),
    paused: Object.hasOwn(annotations, keys.paused),
  };
  return { metadata, own, spec, status: objectIn(from, 'status') };
}

const ownerOf = (metadata: Section): Owner | null =>
  mapOptional(controllerOf(metadata), ({ kind, name, uid }) => ({ kind, name, uid }));

/** `spec.strategy.type` in the contract v1beta1, `spec.rollout.strategy.type` in v1beta2. */
const strategyIn = (spec: Section): string | null =>
  optionalNameIn(objectIn(objectIn(spec, 'rollout'), 'strategy'), 'type') ??
  optionalNameIn(objectIn(spec, 'strategy'), 'type');

/** The contract v1beta1 has `apiVersion`, v1beta2 `apiGroup`; both may omit a namespace, which is the resource's own. */
function infrastructureIn(spec: Section, namespace: string): InfrastructureRef | null {
  const ref = optionalObjectIn(spec, 'infrastructureRef');
  if (ref === null || Object.keys(ref.fields).length === 0) {
    return null;
  }
  const apiVersion = optionalNameIn(ref, 'apiVersion');
  return {
    apiGroup: optionalNameIn(ref, 'apiGroup') ?? apiGroupOf(apiVersion ?? ''),
    apiVersion,
    kind: nameIn(ref, 'kind'),
    namespace: optionalNameIn(ref, 'namespace') ?? namespace,
    name: nameIn(ref, 'name'),
  };
}

/** The kind is absent in v1beta2, where a Machine has no other reference. */
function nodeRefIn(status: Section): string | null {
  const ref = objectIn(status, 'nodeRef');
  return (optionalStringIn(ref, 'kind') ?? 'Node') === 'Node' ? optionalNameIn(ref, 'name') : null;
}

/**
 * The parts of a status about failures: at its top, and in v1beta2, where they are deprecated, under
 * `deprecated.v1beta1`.
 */
const failurePartsOf = (status: Section): readonly Section[] => [
  status,
  objectIn(objectIn(status, 'deprecated'), 'v1beta1'),
];

/** As cluster.x-k8s.io and machine.openshift.io spell a terminal failure. */
const FAILURE_FIELDS = [
  ['failureReason', 'failureMessage'],
  ['errorReason', 'errorMessage'],
] as const;

function failureIn(status: Section): Failure | null {
  for (const from of failurePartsOf(status)) {
    for (const [reasonKey, messageKey] of FAILURE_FIELDS) {
      const reason = stringIn(from, reasonKey);
      const message = stringIn(from, messageKey);
      if (reason !== '' || message !== '') {
        return { reason, message };
      }
    }
  }
  return null;
}

/** Reasons of the condition `MachinesCreated` that do not pass by themselves, as checks before a rollout do. */
const CREATION_FAILURES: ReadonlySet<unknown> = new Set([
  'BootstrapTemplateCloningFailed',
  'InfrastructureTemplateCloningFailed',
  'MachineCreationFailed',
]);

/** The condition `MachinesCreated` of a MachineSet: its templates cannot be cloned, or its Machines are refused. */
function creationFailureIn(status: Section): Failure | null {
  for (const from of failurePartsOf(status)) {
    for (const condition of sectionsIn(from, 'conditions')) {
      const reason = stringIn(condition, 'reason');
      const { type, status: created } = condition.fields;
      if (type === 'MachinesCreated' && created === 'False' && CREATION_FAILURES.has(reason)) {
        return { reason, message: stringIn(condition, 'message') };
      }
    }
  }
  return null;
}
