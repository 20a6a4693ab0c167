import type { Answer } from '../servers/proxy.ts';
import { denial } from './denials.ts';
import { accessKeyOf, type Backend } from './gateway.ts';
import type { Iam } from './iam.ts';

/** STS: gives a session of a role to those whom their own policy and its trust policy allow it. */
export const stsOf =
  (iam: () => Iam): Backend =>
  async ({ operation, accessKey, input }): Promise<Answer> => {
    const { RoleArn, ExternalId } = input as Readonly<Record<string, string>>;
    const caller = iam().roles.find(({ id }) => accessKeyOf(id) === accessKey)!;
    const role = iam().roles.find(({ arn }) => arn === RoleArn);
    const context = ExternalId === undefined ? {} : { 'sts:ExternalId': ExternalId };
    const message = `User: ${caller.arn} is not authorized to perform: sts:${operation} on resource: ${RoleArn}`;
    if (role === undefined || !(await iam().mayAssume(caller.id, role, context))) return denial('autoscaling', message);
    const expiration = new Date(Date.now() + 3_600_000).toISOString();
    const credentials = `<AccessKeyId>${accessKeyOf(role.id)}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken><Expiration>${expiration}</Expiration>`;
    return {
      status: 200,
      headers: { 'content-type': 'text/xml' },
      body: Buffer.from(
        `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>${credentials}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
      ),
    };
  };
