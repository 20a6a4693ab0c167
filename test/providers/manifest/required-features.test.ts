// Source: k8s.io/component-helpers/nodedeclaredfeatures, 1.37.
import { expect, it } from 'vitest';
import { sectionOf } from '../../../providers/manifest/fields.ts';
import { readPodSpec, writePodSpec } from '../../../providers/manifest/pod-spec.ts';

const read = (spec: object) => readPodSpec(sectionOf({ containers: [{}], ...spec }, 'spec', []));
const restarting = (...actions: readonly string[]) => ({ restartPolicyRules: actions.map((action) => ({ action })) });
const RESTART = 'RestartAllContainersOnContainerExits';
const USER_NAMESPACES = 'UserNamespacesHostNetworkSupport';

it.each([
  ['nothing of the kind', {}, undefined],
  ['a container that restarts all', { containers: [{}, restarting('Restart', 'RestartAllContainers')] }, [RESTART]],
  ['an init container that does', { initContainers: [restarting('RestartAllContainers')] }, [RESTART]],
  ['a container that restarts itself', { containers: [restarting('Restart')] }, undefined],
  [
    'a user namespace of its own on the network of the host',
    { hostUsers: false, hostNetwork: true },
    [USER_NAMESPACES],
  ],
  ['a user namespace of its own', { hostUsers: false }, undefined],
  ['the network and the users of the host', { hostUsers: true, hostNetwork: true }, undefined],
  ['the network of the host', { hostNetwork: true }, undefined],
  [
    'both',
    { hostUsers: false, hostNetwork: true, containers: [restarting('RestartAllContainers')] },
    [RESTART, USER_NAMESPACES],
  ],
])('a pod with %s needs', (_, spec, features) => {
  const first = read(spec);
  expect(first.requiredFeatures).toEqual(features);
  expect(read(writePodSpec(first, null))).toEqual(first);
});
