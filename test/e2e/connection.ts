import type { Connection } from './servers/kube.ts';
import { serverSet } from './server-set.ts';

/** The API server of the tests, as an administrator. */
export const connection = (): Connection => ({
  apiServer: serverSet.apiServer,
  token: serverSet.token,
  certificateAuthority: serverSet.certificateAuthority,
});
