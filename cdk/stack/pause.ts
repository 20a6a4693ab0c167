import { Aws, CfnCondition, CfnParameter, Fn, Token } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnRule, Rule } from 'aws-cdk-lib/aws-events';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { SCHEDULES_PARAMETER } from '../../config/stack-names.ts';
import type { Functions } from './functions.ts';

/**
 * Makes the evaluations by schedule a parameter of the stack, so that they can be switched without a new template: `outrigger install`
 * switches them on once the functions may read the cluster, `outrigger uninstall` off before anything is removed. While
 * they are off, scale-down does not run at all, for a drain that has ended would start it too: no drain begins. And the
 * alarms, which go by the scans that are missing then, send nothing.
 */
export function makePausable(scope: Construct, { scaleDown }: Pick<Functions, 'scaleDown'>, scan: Rule): void {
  const schedules = new CfnParameter(scope, SCHEDULES_PARAMETER, {
    type: 'String',
    allowedValues: ['ENABLED', 'DISABLED'],
    default: 'ENABLED',
    description:
      'DISABLED: nothing is evaluated by schedule, and no node is drained that is not being drained already.',
  });
  const paused = new CfnCondition(scope, 'Paused', {
    expression: Fn.conditionEquals(schedules.valueAsString, 'DISABLED'),
  });
  (scan.node.defaultChild as CfnRule).state = schedules.valueAsString;
  for (const child of scope.node.findAll()) {
    if (child instanceof CfnAlarm) {
      child.actionsEnabled = Fn.conditionIf(paused.logicalId, false, true);
    }
  }
  // 0 keeps a function from being called. It takes nothing from the concurrency of the account, so it is never refused.
  (scaleDown.node.defaultChild as CfnFunction).reservedConcurrentExecutions = Token.asNumber(
    Fn.conditionIf(paused.logicalId, 0, Aws.NO_VALUE),
  );
}
