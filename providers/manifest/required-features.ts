import { byName } from '@outrigger/core/model/values/names.ts';
import { type Manifest, type Section, booleanIn, sectionsIn, unreported } from './fields.ts';

const RESTART_ALL = 'RestartAllContainersOnContainerExits';
const USER_NAMESPACES = 'UserNamespacesHostNetworkSupport';

/**
 * The features that a node must declare to take the pod, by name; absent without any. Follows `InferForScheduling` of
 * k8s.io/component-helpers/nodedeclaredfeatures, 1.37, without VolumeBindMountOptions, which is alpha there. The API server rejects pods
 * that need a feature that it does not know, so the version of the cluster makes no difference.
 */
export function requiredFeaturesIn(spec: Section): { readonly requiredFeatures?: readonly string[] } {
  const features: string[] = [];
  if (restartsAll(spec, 'containers') || restartsAll(spec, 'initContainers')) {
    features.push(RESTART_ALL);
  }
  if (spec.fields['hostUsers'] === false && booleanIn(spec, 'hostNetwork')) {
    features.push(USER_NAMESPACES);
  }
  return features.length === 0 ? {} : { requiredFeatures: features.sort(byName) };
}

const restartsAll = (spec: Section, key: string): boolean =>
  sectionsIn(unreported(spec), key).some((container) =>
    sectionsIn({ ...container, problems: spec.problems }, 'restartPolicyRules').some(
      (rule) => rule.fields['action'] === 'RestartAllContainers',
    ),
  );

/** The fields of a pod's `spec` from which the same features are inferred, and those of its first container. */
export const writeRequiredFeatures = (
  features: readonly string[] = [],
): { readonly spec: Manifest; readonly container: Manifest } => ({
  spec: features.includes(USER_NAMESPACES) ? { hostNetwork: true, hostUsers: false } : {},
  container: features.includes(RESTART_ALL) ? { restartPolicyRules: [{ action: 'RestartAllContainers' }] } : {},
});
