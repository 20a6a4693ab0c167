import type { ControllerKind } from '../core/model/cluster/workloads.ts';
import { type Result, err, ok } from '../core/model/values/result.ts';
import { configMapReader } from '../providers/manifest/config-map.ts';
import { controllerReader } from '../providers/manifest/controller.ts';
import { csiNodeReader } from '../providers/manifest/csi-node.ts';
import { type SectionReader, sectionOf } from '../providers/manifest/fields.ts';
import type { Invalid } from '../providers/manifest/invalid.ts';
import { namespaceReader } from '../providers/manifest/namespace.ts';
import { nodeReader } from '../providers/manifest/node.ts';
import { persistentVolumeReader } from '../providers/manifest/persistent-volume.ts';
import { persistentVolumeClaimReader } from '../providers/manifest/persistent-volume-claim.ts';
import { podReader } from '../providers/manifest/pod.ts';
import { podDisruptionBudgetReader } from '../providers/manifest/pod-disruption-budget.ts';
import { storageClassReader } from '../providers/manifest/storage-class.ts';

/** A reader's result: the value, or the first problem. */
export function settled<T>(reader: SectionReader<T>): (raw: unknown, place: string) => Result<T, Invalid> {
  return (raw, place) => {
    const problems: Invalid[] = [];
    const value = reader(sectionOf(raw, place, problems));
    const [first] = problems;
    return first === undefined ? ok(value) : err(first);
  };
}

export const readConfigMap = settled(configMapReader);
export const readController = (kind: ControllerKind) => settled(controllerReader(kind));
export const readCsiNode = settled(csiNodeReader);
export const readNamespace = settled(namespaceReader);
export const readNode = settled(nodeReader);
export const readPersistentVolume = settled(persistentVolumeReader);
export const readPersistentVolumeClaim = settled(persistentVolumeClaimReader);
export const readPod = (raw: unknown, place: string) => settled(podReader())(raw, place);
export const readPodDisruptionBudget = settled(podDisruptionBudgetReader);
export const readStorageClass = settled(storageClassReader);
