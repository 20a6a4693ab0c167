import { type GroupName, groupName } from '@outrigger/core/model/values/names.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type { Recording } from '../recording/recording.ts';
import type { DemoLoad, LoadStep } from './load.ts';

const PREFIX = 'MachineDeployment/default/';

const nameOf = (group: GroupName): GroupName => groupName(`${PREFIX}${group}`);

/** A recording to be shown: with the names of the MachineDeployments alone, all of which are in one namespace. */
export function withShortNames(recording: Recording): Recording {
  if (recording.provider === 'aws') {
    return recording;
  }
  return JSON.parse(JSON.stringify(recording).replaceAll(PREFIX, '')) as Recording;
}

/**
 * The load on MachineDeployments of the same names. Each has one failure domain, so a group of several zones is an error, as is
 * a warm pool; prices of machines are not known.
 */
export function onClusterApi(load: DemoLoad): Result<DemoLoad, readonly string[]> {
  const wide = load.groups
    .filter(({ zones }) => zones.length > 1)
    .map(
      ({ name, zones }) =>
        `node group ${name}: expected one zone with --provider clusterapi, since a MachineDeployment has one failure ` +
        `domain; found ${zones.join(', ')}. Make it a group for each zone`,
    );
  const warm = load.groups
    .filter(({ warmPool }) => warmPool !== undefined)
    .map(
      ({ name, warmPool }) =>
        `node group ${name}: expected no warmPool with --provider clusterapi, since a MachineDeployment has none; found ` +
        `one of ${warmPool!.size}. Take it out`,
    );
  if (wide.length + warm.length > 0) {
    return err([...wide, ...warm]);
  }
  return ok({
    ...load,
    groups: load.groups.map((group) => ({ ...group, name: nameOf(group.name), price: null })),
    steps: load.steps.map((step): LoadStep =>
      step.kind === 'capacity' || step.kind === 'interruption' ? { ...step, group: nameOf(step.group) } : step,
    ),
  });
}
