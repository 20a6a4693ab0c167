// The exports of the package. The package's build has the bundles beside this file.

export type { ClusterResourcesProps } from './cluster-resources.ts';
export { OutriggerStack, type OutriggerStackProps } from './cluster-stack.ts';
export { Outrigger, type OutriggerProps } from './outrigger.ts';
export { type ClusterSettings, readSettings, SettingsError } from './settings.ts';
