import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { type Fact, factOr, type MissingFact } from '../facts/fact.ts';
import type { Facts, Stack } from '../facts/facts.ts';
import { capabilitiesOf } from '@outrigger/providers/schema/regions.ts';
import { stackNameOf } from '../../../config/stack-names.ts';
import { BOOTSTRAP_STACK } from '../facts/gather.ts';
import {
  type Check,
  failure,
  type Finding,
  known,
  notKnown,
  passed,
  regionOf,
  some,
  unknown,
  warning,
} from './check.ts';

/** Facts from AWS. */
const awsFacts = ({ settings, session, cluster, bootstrap, deployment, concurrency, groups, nodeGroups }: Facts) =>
  [
    ...(settings.role === null ? [] : [session]),
    cluster,
    bootstrap,
    deployment,
    concurrency,
    groups,
    ...nodeGroups.map(({ seen }) => seen),
  ] as const;

const missingIn = (facts: readonly Fact<unknown>[]): readonly MissingFact[] =>
  facts.filter((fact) => !fact.ok).map(({ error }) => error);

/** `null` where the cluster, or its account, is not known. */
const accountOf = ({ cluster }: Facts): string | null => factOr(cluster, null)?.account || null;

const CREDENTIALS: Check = {
  id: 'credentials',
  title: 'Credentials and region',
  rule: 'A region is known, AWS can be reached, and accepts the credentials. Fails otherwise.',
  why: 'All other checks, and the deployment, are calls to AWS in one account and region.',
  judge: (facts) => {
    if (!facts.region.ok) {
      return failure(
        'No region is given, and the AWS environment has none.',
        'Give it as --region, in the configuration, or in the environment:',
        'export AWS_REGION=eu-west-1',
      );
    }
    const missing = missingIn(awsFacts(facts));
    const refused = missing.find(({ reason }) => reason === 'unauthenticated');
    if (refused !== undefined) {
      return failure(`${refused.call} failed: ${refused.text}`, refused.remedy ?? 'Log in, or choose another profile.');
    }
    const [first] = missing;
    if (first !== undefined && missing.length === awsFacts(facts).length) {
      if (first.reason === 'no answer') {
        const remedy = first.remedy ?? 'Check the network of this computer.';
        return failure(`No call to AWS has an answer: ${first.text}`, remedy);
      }
      return unknown(first);
    }
    const whose = facts.settings.role === null ? 'Account' : 'Cluster in account';
    const account = mapOptional(accountOf(facts), (id) => `${whose} ${id}, `) ?? '';
    return passed(`${account}region ${facts.region.value}.`);
  },
};

const ROLE: Check = {
  id: 'role',
  title: 'Role for the cluster',
  rule: 'The credentials may assume `role`, with the external ID: it reads the cluster and its groups, as the functions do. Unknown where they may not. Ok without `role`, or with `--no-role`.',
  why: 'The checks of a cluster in another account are calls by that role.',
  judge: ({ session, settings: { role, cluster }, region }) => {
    if (role === null) {
      return passed('The cluster and its groups are read with the credentials of the user.');
    }
    if (session.ok || session.error.reason !== 'denied') {
      return known(session, () => passed(`${role.arn} is assumed for the cluster and its groups.`));
    }
    return notKnown(unknown(session.error).found, {
      text: 'Let its trust policy name this user too, or use credentials of the account of the cluster, where the checks of stacks and functions mean nothing then:',
      lines: [`npx outrigger doctor --cluster ${cluster} --region ${regionOf({ region })} --no-role`],
    });
  },
};

/** The bootstrap version that stacks of the CDK require: `MIN_BOOTSTRAP_STACK_VERSION` of aws-cdk-lib. */
const OLDEST_BOOTSTRAP = 6;

const BOOTSTRAP: Check = {
  id: 'cdk-bootstrap',
  title: 'CDK bootstrap',
  rule: `The stack \`${BOOTSTRAP_STACK}\` exists, is complete, and has version ${OLDEST_BOOTSTRAP} or later. Fails otherwise. A bootstrap under another name is not found.`,
  why: 'cdk deploy uploads the functions to the bucket of the bootstrap stack, and stops where there is none.',
  judge: (facts) =>
    known(facts.bootstrap, (stack) => {
      const account = facts.settings.role === null ? accountOf(facts) : null;
      const command = `npx cdk bootstrap aws://${account ?? 'ACCOUNT'}/${regionOf(facts)}`;
      if (stack === null) {
        return failure(
          `There is no stack ${BOOTSTRAP_STACK} in ${regionOf(facts)}.`,
          'Create it, once per account and region:',
          command,
        );
      }
      const { status, outputs } = stack;
      if (!/^(?:CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT)_COMPLETE$/.test(status)) {
        return failure(`The stack ${BOOTSTRAP_STACK} is in state ${status}.`, 'Create it again:', command);
      }
      const version = Number(outputs['BootstrapVersion'] ?? Number.NaN);
      if (version < OLDEST_BOOTSTRAP) {
        return failure(`The stack ${BOOTSTRAP_STACK} has version ${version}.`, 'Update it:', command);
      }
      const named = Number.isNaN(version) ? BOOTSTRAP_STACK : `${BOOTSTRAP_STACK} of version ${version}`;
      return passed(`${named}.`);
    }),
};

const DEPLOYMENT: Check = {
  id: 'deployment',
  title: 'Stack of Outrigger',
  rule: 'Absent, or complete. Warns during a deployment; fails after one that was not rolled back completely.',
  why: 'CloudFormation updates only complete stacks: the next cdk deploy fails.',
  judge: (facts) =>
    known(
      facts.deployment,
      (stack) =>
        mapOptional(stack, (it) => judgeDeployment(facts, it)) ??
        passed(`There is no stack ${stackNameOf(facts.settings.cluster)} yet.`),
    ),
};

function judgeDeployment(facts: Facts, { status }: Stack): Finding {
  const name = stackNameOf(facts.settings.cluster);
  const at = `--region ${regionOf(facts)} --stack-name ${name}`;
  const found = `${name} is in state ${status}.`;
  if (status.endsWith('_IN_PROGRESS')) {
    return warning(found, 'Wait until it is complete:', `aws cloudformation describe-stack-events ${at}`);
  }
  if (/^(?:UPDATE_ROLLBACK|IMPORT_ROLLBACK)_FAILED$/.test(status)) {
    return failure(found, 'Complete the rollback:', `aws cloudformation continue-update-rollback ${at}`);
  }
  if (status.endsWith('_FAILED') || status === 'ROLLBACK_COMPLETE') {
    return failure(
      found,
      'Find the reason in its events, and delete it:',
      `aws cloudformation describe-stack-events ${at}`,
      `aws cloudformation delete-stack ${at}`,
    );
  }
  return passed(found);
}

/** Executions that Lambda keeps for functions without a reservation: 100, in accounts with a reduced quota 10. */
const [KEPT, KEPT_OF_REDUCED] = [100, 10];
/** The quota of an account that has not been reduced. */
const USUAL_QUOTA = 1_000;

const CONCURRENCY: Check = {
  id: 'lambda-concurrency',
  title: 'Lambda concurrency',
  rule: `Fails where \`reservedConcurrency\` would leave fewer than ${KEPT_OF_REDUCED} executions unreserved, warns below ${KEPT}, and where the quota of the account is below ${KEPT}.`,
  why: 'CloudFormation fails on a reservation that leaves too little to other functions, and new accounts have quotas of 10 or 50.',
  judge: (facts) =>
    known(facts.concurrency, ({ quota, unreserved }) => {
      const { reservedConcurrency: reserved } = facts.settings;
      const raise = `aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${USUAL_QUOTA} --region ${regionOf(facts)}`;
      const found = `${unreserved} of ${quota} concurrent executions are unreserved`;
      if (reserved !== null && unreserved - reserved < KEPT) {
        const finding = unreserved - reserved < KEPT_OF_REDUCED ? failure : warning;
        return finding(
          `${found}; reservedConcurrency: ${reserved} would leave ${Math.max(0, unreserved - reserved)}.`,
          'Set reservedConcurrency: none or webhook: httpApi, or request a higher quota:',
          raise,
        );
      }
      if (quota < KEPT) {
        return warning(`${found}, for all functions of the account.`, 'Request a higher quota:', raise);
      }
      return passed(`${found}.`);
    }),
};

const FUNCTION_URLS: Check = {
  id: 'function-urls',
  title: 'Function URLs',
  rule: 'Lambda has function URLs in the region, or `webhook` is `httpApi` or `none`. Fails otherwise.',
  why: 'The API server calls the webhook by a function URL, which CloudFormation cannot create in a region without them.',
  judge: ({ region, settings: { webhook } }) =>
    known(region, (name) => {
      if (webhook !== 'functionUrl') {
        return passed(`webhook: ${webhook}, which needs none.`);
      }
      if (capabilitiesOf(name).functionUrls) {
        return passed(`Lambda in ${name} has them.`);
      }
      return failure(
        `Lambda in ${name} has no function URLs.`,
        'Have the API server call an HTTP API of API Gateway. In outrigger.config.yaml:',
        'webhook: httpApi',
      );
    }),
};

const PARTITION: Check = {
  id: 'partition',
  title: 'Partition of AWS',
  rule: 'None: passes in other partitions than `aws`, too, and says what is absent there.',
  why: 'Some services of AWS are absent in other partitions, and Outrigger has been deployed in none of them.',
  judge: ({ region }) =>
    known(region, (name) => {
      const { priceList, tracing } = capabilitiesOf(name);
      if (priceList) {
        return passed(`${name} is in the partition aws.`);
      }
      const absent = presentItems(['AWS’s price list in USD', !tracing && 'traces in X-Ray']);
      return passed(`${name} is outside of the partition aws. Not there: ${absent.join(', ')}.`);
    }),
};

const DENIED: Check = {
  id: 'permissions',
  title: 'Permissions in AWS',
  rule: 'No call that reads was denied. What a deployment may create is not tried: `cdk deploy` uses the roles of the bootstrap stack. Unknown where a call was denied.',
  why: 'A check whose call was denied has no result.',
  judge: (facts) => {
    const missing = missingIn(awsFacts(facts));
    const [first] = missing;
    if (first !== undefined && first.reason !== 'denied' && missing.length === awsFacts(facts).length) {
      return unknown(first);
    }
    const denied = missing.filter(({ reason }) => reason === 'denied');
    if (denied.length === 0) {
      return passed('No call was denied. Whether a deployment may be made is not tried.');
    }
    const calls = [...new Set(denied.map(({ call }) => call))];
    return notKnown(`Denied: ${some(calls, 10)}. Whether a deployment may be made is not known.`, {
      text: 'Allow these actions, or run the command as a user who has them. The first answer was:',
      lines: [firstItem(denied).text],
    });
  },
};

/** The checks of the account, in the order in which they are shown. */
export const ACCOUNT_CHECKS: readonly Check[] = [
  CREDENTIALS,
  ROLE,
  DENIED,
  BOOTSTRAP,
  CONCURRENCY,
  FUNCTION_URLS,
  PARTITION,
  DEPLOYMENT,
];
