/** Options that docs/consolidation.md recommends: in its example, in the example of a configuration, and in the benches. */
export const RECOMMENDED = {
  consolidation: 'replace',
  scaleDownUnneededTime: 'auto',
  fillOldestNodesFirst: true,
} as const;
