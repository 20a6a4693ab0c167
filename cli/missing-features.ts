/** Loads what the running Node lacks of ECMAScript 2025, which the sources use: Node has all of it from version 24 on. */
export async function loadMissingFeatures(): Promise<void> {
  if (!('escape' in RegExp)) {
    await import('core-js/es/index.js');
  }
}
