import { inject } from 'vitest';
import type { Connection } from './servers/kube.ts';

/** The API server of the tests, as an administrator. */
export const connection = (): Connection => ({
  apiServer: inject('apiServer'),
  token: inject('token'),
  certificateAuthority: inject('certificateAuthority'),
});
