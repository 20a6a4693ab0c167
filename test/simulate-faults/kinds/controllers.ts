import type { KindsOfPods } from './kind.ts';

/** What may create pods beside Deployments and Jobs. */
export const CONTROLLERS: KindsOfPods = {
  StatefulSet: { part: 0.12, may: ({ kind }) => kind === 'Deployment', change: () => ({ kind: 'StatefulSet' }) },
};
