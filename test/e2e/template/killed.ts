import { iamOf, type Iam } from './iam.ts';
import { ACCOUNT } from './deployment.ts';
import type { Mutant } from './mutants.ts';
import { type AwsRecord, newRecords } from './records.ts';
import type { Resolve } from './resolve.ts';
import type { Template } from './synthesize.ts';

/**
 * Is what was asked judged otherwise by the mutant of a template? A call that was allowed is refused, or, where a refusal
 * is what the mutant lacks, one without TLS is not refused any more.
 */
export async function isKilled(
  template: Template,
  mutant: Mutant,
  asked: readonly AwsRecord[],
  resolve: Resolve,
): Promise<boolean> {
  const original = iamOf(ACCOUNT, template, resolve, newRecords());
  const iam = iamOf(ACCOUNT, mutant.template, resolve, newRecords());
  for (const record of distinct(asked)) {
    const isAbout = mutant.role === null ? record.policyOf !== null : record.principal === mutant.role;
    if (!isAbout || !record.allowed) continue;
    if (mutant.effect === 'Allow' && !(await judged(iam, record))) return true;
    if (mutant.effect === 'Deny') {
      const open = withoutTls(record);
      if (!(await judged(original, open)) && (await judged(iam, open))) return true;
    }
  }
  return false;
}

const withoutTls = (record: AwsRecord): AwsRecord => ({
  ...record,
  request: { ...record.request, context: { ...record.request.context, 'aws:SecureTransport': 'false' } },
});

const judged = (iam: Iam, { principal, request }: AwsRecord): Promise<boolean> =>
  request.action === 'sts:AssumeRole'
    ? iam.mayAssume(principal!, iam.roleByArn(request.resource), request.context)
    : iam.judge(principal, request);

const distinct = (records: readonly AwsRecord[]): readonly AwsRecord[] => [
  ...new Map(records.map((record) => [JSON.stringify(record), record])).values(),
];
