import { present } from '@outrigger/core/model/values/present.ts';
import { textIf } from '@outrigger/core/model/values/optional.ts';
import { SCHEDULES_PARAMETER, TOKEN_HASHES_PARAMETER } from '../../../config/stack-names.ts';
import { stepDone, StepError, type StepResult, unchanged, would } from '../journal.ts';
import type { InstallPlace } from '../place.ts';
import { type DeployedStack, exists, readStack, setParameters } from '../stack/deployed.ts';
import type { ChosenToken } from '../token.ts';

/** Deploys the stack with these parameters; all others keep their values. */
export type Deploy = (parameters: Readonly<Record<string, string>>) => Promise<void>;

/** The hashes that a stack accepts. */
export const acceptedBy = (stack: DeployedStack | null): readonly string[] =>
  (stack?.outputs['AcceptedTokenHashes'] ?? '').split(',').filter((hash) => hash !== '');

/**
 * Deploys the stack. A new stack has its schedules off: they would evaluate a cluster that the functions may not read
 * yet. An existing stack keeps its schedules as they are.
 *
 * @param token `null`: the stack makes its own
 */
export async function deployStack(
  { stack: client }: InstallPlace,
  deploy: Deploy,
  token: ChosenToken | null,
  dryRun: boolean,
): Promise<StepResult<DeployedStack | null>> {
  const before = await readStack(client);
  const isNew = !exists(before);
  if (dryRun) {
    return would(`${isNew ? 'Would create' : 'Would update'} the stack ${client.name}.`, isNew ? null : before);
  }
  await deploy(
    present({
      [SCHEDULES_PARAMETER]: isNew ? 'DISABLED' : null,
      [TOKEN_HASHES_PARAMETER]: token?.accepted.join(','),
    }),
  );
  const after = await readStack(client);
  if (!exists(after) || !/^(?:CREATE|UPDATE)_COMPLETE$/.test(after.status)) {
    throw new StepError(`The stack ${client.name} is not complete: ${after?.status ?? 'it does not exist'}.`, [
      `aws cloudformation describe-stack-events --stack-name ${client.name}`,
    ]);
  }
  const schedules = textIf(after.parameters[SCHEDULES_PARAMETER] === 'DISABLED', ', its schedules are off');
  return stepDone(`The stack ${client.name} is ${isNew ? 'created' : 'up to date'}${schedules}.`, after);
}

/** Switches the schedules off, so that no drain begins any more. */
export async function switchOff(
  { config, stack: client }: InstallPlace,
  stack: DeployedStack | null,
  dryRun: boolean,
): Promise<StepResult<null>> {
  if (!exists(stack)) {
    return unchanged(`There is no stack ${client.name}.`, null);
  }
  if (!(SCHEDULES_PARAMETER in stack.parameters)) {
    throw new StepError(`The stack ${client.name} is of a version whose schedules cannot be switched off.`, [
      `deploy it once with this version: npx outrigger install --cluster ${config.name}`,
    ]);
  }
  if (dryRun) {
    return would('Would switch the schedules off.', null);
  }
  if (await setParameters(client, stack, { [SCHEDULES_PARAMETER]: 'DISABLED' })) {
    return stepDone('The schedules are off: no drain begins any more.', null);
  }
  return unchanged('The schedules are off already.', null);
}

/** Does the stack carry its decisions out? One that does not say so may. */
export const acts = ({ outputs }: DeployedStack): boolean => !(outputs['Mode'] ?? '').startsWith('observe');

/** Switches the schedules on, and has the stack accept no other token than that of the webhook. */
export async function finishStack(
  { stack: client }: InstallPlace,
  stack: DeployedStack | null,
  token: ChosenToken | null,
  dryRun: boolean,
): Promise<StepResult<null>> {
  if (dryRun) {
    return would('Would switch the schedules on.', null);
  }
  const current = stack ?? (await readStack(client));
  const changed =
    current !== null &&
    (await setParameters(client, current, {
      [SCHEDULES_PARAMETER]: 'ENABLED',
      ...present({ [TOKEN_HASHES_PARAMETER]: token?.hash }),
    }));
  if (changed) {
    return stepDone('The schedules are on: the cluster is evaluated every minute.', null);
  }
  return unchanged('The schedules are on already.', null);
}
