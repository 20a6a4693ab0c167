import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { apiGroupOf } from '@outrigger/core/model/cluster/workloads.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import {
  type Fields,
  booleanIn,
  integerIn,
  labelsIn,
  listIn,
  nameIn,
  objectIn,
  optionalNameIn,
  optionalObjectIn,
  readFields,
  optionalStringIn,
  stringIn,
  stringsIn,
} from '../../manifest/fields.ts';
import { type Invalid, type Reader, fieldOf, itemOf } from '../../manifest/invalid.ts';
import {
  annotationsOf,
  controllerOf,
  createdAtOf,
  deletedAtOf,
  labelsOf,
  metadataOf,
  nameOf,
  uidOf,
} from '../../manifest/metadata.ts';
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
export function scalableReader(kind: ScalableKind, group: string): Reader<ScalableResource> {
  const keys = keysOf(group);
  return (raw, place, problems) => {
    const { own, spec, atSpec, status, atStatus } = partsOf(raw, place, problems, keys);
    const template = objectIn(spec, 'template', atSpec, problems);
    const atTemplate = fieldOf(atSpec, 'template');
    const machineSpec = objectIn(template, 'spec', atTemplate, problems);
    const atMachineSpec = fieldOf(atTemplate, 'spec');
    return {
      ...own,
      kind,
      clusterName: optionalNameIn(spec, 'clusterName', atSpec, problems) ?? own.labels[keys.clusterName] ?? null,
      replicas: integerIn(spec, 'replicas', atSpec, problems) ?? 1,
      currentReplicas: integerIn(status, 'replicas', atStatus, problems) ?? 0,
      selector: stringIn(status, 'selector', atStatus, problems),
      owner: ownerIn(raw, place, problems),
      onDelete:
        kind === 'MachineDeployment' &&
        strategyIn(spec, atSpec, problems) === 'OnDelete' &&
        !booleanIn(spec, 'paused', atSpec, problems),
      infrastructure: infrastructureIn(machineSpec, atMachineSpec, own.namespace, problems),
      template: {
        labels: templateLabelsIn(template, atTemplate, problems),
        nodeLabels: templateLabelsIn(machineSpec, atMachineSpec, problems),
        taints: taintsIn(machineSpec, 'taints', atMachineSpec, problems),
        version: optionalNameIn(machineSpec, 'version', atMachineSpec, problems),
      },
      providerIds: stringsIn(spec, 'providerIDList', atSpec, problems),
      failure: failureIn(status, atStatus, problems) ?? creationFailureIn(status, atStatus, problems),
    };
  };
}

export function machineReader(group: string): Reader<Machine> {
  const keys = keysOf(group);
  return (raw, place, problems) => {
    const { own, spec, atSpec, status, atStatus } = partsOf(raw, place, problems, keys);
    const phase = optionalNameIn(status, 'phase', atStatus, problems);
    return {
      ...own,
      clusterName: optionalNameIn(spec, 'clusterName', atSpec, problems) ?? own.labels[keys.clusterName] ?? null,
      providerId: optionalNameIn(spec, 'providerID', atSpec, problems),
      nodeRef: nodeRefIn(status, atStatus, problems),
      zone:
        optionalNameIn(spec, 'failureDomain', atSpec, problems) ??
        optionalNameIn(status, 'failureDomain', atStatus, problems) ??
        own.labels[keys.zone] ??
        null,
      version: optionalNameIn(spec, 'version', atSpec, problems),
      phase,
      failure: failureIn(status, atStatus, problems) ?? (phase === 'Failed' ? { reason: '', message: '' } : null),
      owner: ownerIn(raw, place, problems),
    };
  };
}

export function readClusterObject(group: string): Reader<CapiCluster> {
  const keys = keysOf(group);
  return (raw, place, problems) => {
    const { own, spec, atSpec } = partsOf(raw, place, problems, keys);
    return { ...own, paused: own.paused || booleanIn(spec, 'paused', atSpec, problems) };
  };
}

function partsOf(raw: unknown, place: string, problems: Invalid[], keys: ApiKeys) {
  const object = readFields(raw, place, problems);
  const metadata = metadataOf(object, place, problems);
  const spec = objectIn(object, 'spec', place, problems);
  const atSpec = fieldOf(place, 'spec');
  const annotations = annotationsOf(metadata, problems);
  const own: ClusterApiObject = {
    // The API server always sets it: a default would be another object's.
    namespace: nameIn(metadata.fields, 'namespace', metadata.place, problems),
    name: nameOf(metadata, problems),
    uid: uidOf(metadata, problems),
    resourceVersion: stringIn(metadata.fields, 'resourceVersion', metadata.place, problems),
    labels: labelsOf(metadata, problems),
    annotations,
    createdAt: createdAtOf(metadata, problems),
    deletedAt: deletedAtOf(metadata, problems),
    paused: Object.hasOwn(annotations, keys.paused),
  };
  const status = objectIn(object, 'status', place, problems);
  return { own, spec, atSpec, status, atStatus: fieldOf(place, 'status') };
}

function ownerIn(raw: unknown, place: string, problems: Invalid[]): Owner | null {
  const metadata = metadataOf(readFields(raw, place, []), place, []);
  return mapOptional(controllerOf(metadata, problems), ({ kind, name, uid }) => ({ kind, name, uid }));
}

const templateLabelsIn = (template: Fields, place: string, problems: Invalid[]): Labels =>
  labelsIn(objectIn(template, 'metadata', place, problems), 'labels', fieldOf(place, 'metadata'), problems);

/** `spec.strategy.type` in the contract v1beta1, `spec.rollout.strategy.type` in v1beta2. */
function strategyIn(spec: Fields, atSpec: string, problems: Invalid[]): string | null {
  const rollout = objectIn(spec, 'rollout', atSpec, problems);
  const parts = [
    { fields: objectIn(rollout, 'strategy', fieldOf(atSpec, 'rollout'), problems), place: 'rollout.strategy' },
    { fields: objectIn(spec, 'strategy', atSpec, problems), place: 'strategy' },
  ];
  return (
    parts
      .map(({ fields, place }) => optionalNameIn(fields, 'type', fieldOf(atSpec, place), problems))
      .find((type) => type !== null) ?? null
  );
}

/** The contract v1beta1 has `apiVersion`, v1beta2 `apiGroup`; both may omit a namespace, which is the resource's own. */
function infrastructureIn(
  spec: Fields,
  atSpec: string,
  namespace: string,
  problems: Invalid[],
): InfrastructureRef | null {
  const ref = optionalObjectIn(spec, 'infrastructureRef', atSpec, problems);
  const place = fieldOf(atSpec, 'infrastructureRef');
  if (ref === null || Object.keys(ref).length === 0) {
    return null;
  }
  const apiVersion = optionalNameIn(ref, 'apiVersion', place, problems);
  return {
    apiGroup: optionalNameIn(ref, 'apiGroup', place, problems) ?? apiGroupOf(apiVersion ?? ''),
    apiVersion,
    kind: nameIn(ref, 'kind', place, problems),
    namespace: optionalNameIn(ref, 'namespace', place, problems) ?? namespace,
    name: nameIn(ref, 'name', place, problems),
  };
}

/** The kind is absent in v1beta2, where a Machine has no other reference. */
function nodeRefIn(status: Fields, atStatus: string, problems: Invalid[]): string | null {
  const ref = optionalObjectIn(status, 'nodeRef', atStatus, problems);
  const place = fieldOf(atStatus, 'nodeRef');
  if (ref === null || (optionalStringIn(ref, 'kind', place, problems) ?? 'Node') !== 'Node') {
    return null;
  }
  return optionalNameIn(ref, 'name', place, problems);
}

/**
 * The parts of a status about failures: at its top, and in v1beta2, where they are deprecated, under
 * `deprecated.v1beta1`.
 */
function failurePartsOf(status: Fields, atStatus: string, problems: Invalid[]) {
  const deprecated = objectIn(status, 'deprecated', atStatus, problems);
  const atDeprecated = fieldOf(atStatus, 'deprecated');
  return [
    { fields: status, place: atStatus },
    { fields: objectIn(deprecated, 'v1beta1', atDeprecated, problems), place: fieldOf(atDeprecated, 'v1beta1') },
  ];
}

/** As cluster.x-k8s.io and machine.openshift.io spell a terminal failure. */
const FAILURE_FIELDS = [
  ['failureReason', 'failureMessage'],
  ['errorReason', 'errorMessage'],
] as const;

function failureIn(status: Fields, atStatus: string, problems: Invalid[]): Failure | null {
  for (const { fields, place } of failurePartsOf(status, atStatus, problems)) {
    for (const [reasonKey, messageKey] of FAILURE_FIELDS) {
      const reason = stringIn(fields, reasonKey, place, problems);
      const message = stringIn(fields, messageKey, place, problems);
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
function creationFailureIn(status: Fields, atStatus: string, problems: Invalid[]): Failure | null {
  for (const { fields, place } of failurePartsOf(status, atStatus, problems)) {
    for (const [index, raw] of listIn(fields, 'conditions', place, problems).entries()) {
      const at = itemOf(fieldOf(place, 'conditions'), index);
      const condition = readFields(raw, at, problems);
      const reason = stringIn(condition, 'reason', at, problems);
      if (condition['type'] === 'MachinesCreated' && condition['status'] === 'False' && CREATION_FAILURES.has(reason)) {
        return { reason, message: stringIn(condition, 'message', at, problems) };
      }
    }
  }
  return null;
}
