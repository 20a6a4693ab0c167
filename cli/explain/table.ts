import { present } from '@outrigger/core/model/values/present.ts';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { stackNameOf } from '../../config/stack-names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { callFailed } from '@outrigger/providers/aws/api/call-problem.ts';
import { isMissing, listResources, tableOf } from '../install/stack/deployed.ts';

/** A cluster without a stack may be one that `outrigger local` scales. */
const IN_MEMORY =
  'If outrigger local runs without --dynamodb-endpoint, its state is in its memory: --ui shows it, and outrigger local --dry-run --once evaluates the cluster now';

/**
 * Finds the name of the table with the state in the stack of a cluster.
 *
 * @returns why there is none, in words
 * @throws where CloudFormation cannot be asked
 */
export async function tableOfStack(
  cluster: string,
  region: string,
  endpoint?: string,
): Promise<Result<string, string>> {
  const name = stackNameOf(cluster);
  const cloudFormation = new CloudFormationClient({ region, ...present({ endpoint }) });
  try {
    const table = tableOf(await listResources({ cloudFormation, name, pause: async () => {} }));
    return (
      mapOptional(table, ok) ?? err(`The stack ${name} in ${region} has no table yet: it was not deployed completely`)
    );
  } catch (error) {
    if (isMissing(error)) {
      return err(
        `There is no stack ${name} in ${region}: give another --cluster, --region or --profile, or the table as --table. ${IN_MEMORY}`,
      );
    }
    const failed = callFailed(`ListStackResources of stack ${name} in ${region}`, error);
    throw new Error(`${messageOf(failed)} ${IN_MEMORY}`, { cause: error });
  } finally {
    cloudFormation.destroy();
  }
}
