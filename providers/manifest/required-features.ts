import { byName } from '@outrigger/core/model/values/names.ts';
import { booleanIn, type Fields, listIn, type Manifest, readFields } from './fields.ts';
import { type Invalid, itemOf } from './invalid.ts';

const RESTART_ALL = 'RestartAllContainersOnContainerExits';
const USER_NAMESPACES = 'UserNamespacesHostNetworkSupport';

/**
 * The features that a node must declare to take the pod, by name; absent without any. Follows `InferForScheduling` of
 * k8s.io/component-helpers/nodedeclaredfeatures, 1.37, without VolumeBindMountOptions, which is alpha there. The API server rejects pods
 * that need a feature that it does not know, so the version of the cluster makes no difference.
 */
export function requiredFeaturesIn(
  spec: Fields,
  place: string,
  problems: Invalid[],
): { readonly requiredFeatures?: readonly string[] } {
  const features: string[] = [];
  if (restartsAll(spec, 'containers', place, problems) || restartsAll(spec, 'initContainers', place, problems)) {
    features.push(RESTART_ALL);
  }
  if (spec['hostUsers'] === false && booleanIn(spec, 'hostNetwork', place, problems)) {
    features.push(USER_NAMESPACES);
  }
  return features.length === 0 ? {} : { requiredFeatures: features.sort(byName) };
}

function restartsAll(spec: Fields, key: string, place: string, problems: Invalid[]): boolean {
  return listIn(spec, key, place, problems).some((raw, i) => {
    if (typeof raw !== 'object' || raw === null || !('restartPolicyRules' in raw)) {
      return false;
    }
    const at = itemOf(`${place}.${key}`, i);
    return listIn(readFields(raw, at, problems), 'restartPolicyRules', at, problems).some(
      (rule, j) =>
        readFields(rule, itemOf(`${at}.restartPolicyRules`, j), problems)['action'] === 'RestartAllContainers',
    );
  });
}

/** The fields of a pod's `spec` from which the same features are inferred, and those of its first container. */
export const writeRequiredFeatures = (
  features: readonly string[] = [],
): { readonly spec: Manifest; readonly container: Manifest } => ({
  spec: features.includes(USER_NAMESPACES) ? { hostNetwork: true, hostUsers: false } : {},
  container: features.includes(RESTART_ALL) ? { restartPolicyRules: [{ action: 'RestartAllContainers' }] } : {},
});
