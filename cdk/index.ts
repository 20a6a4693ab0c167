// What the package exports. Its own build has the bundles beside this.

export type { ClusterResourcesProps } from './cluster-resources.ts';
export { OutriggerStack, type OutriggerStackProps } from './cluster-stack.ts';
export { Outrigger, type OutriggerProps } from './outrigger.ts';
export { type ClusterSettings, readSettings, SettingsError } from './settings.ts';
