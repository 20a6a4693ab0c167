import type { Answer } from './wire-server.ts';

/** The answer of STS to `AssumeRole`: a session that lasts this long from now. */
export const assumedSession = (ms: number): Answer => ({
  status: 200,
  body: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ASIAASSUMED00000</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${new Date(Date.now() + ms).toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
});
