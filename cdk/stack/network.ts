import { functionRole } from '../standard-function.ts';
import { type CfnFunction, type Function } from 'aws-cdk-lib/aws-lambda';
import { Effect, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Network } from '../settings.ts';

/**
 * Actions of Lambda by the role of a function in a VPC. Lambda's check allows no action to be limited to one resource.
 */
const INTERFACES = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * Puts functions into a VPC: those that talk to the API server. Lambda creates their network interfaces by their roles;
 * their code is denied it, as AWS advises.
 */
export function placeInVpc(
  scope: Construct,
  { subnetIds, securityGroupIds }: Network,
  functions: readonly Function[],
): void {
  for (const placed of functions) {
    (placed.node.defaultChild as CfnFunction).vpcConfig = {
      subnetIds: [...subnetIds],
      securityGroupIds: [...securityGroupIds],
    };
    placed.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: INTERFACES, resources: ['*'] }));
  }
  // In a policy of its own: one that a function depends on cannot name the function.
  new Policy(scope, 'NetworkInterfaces', {
    roles: functions.map(functionRole),
    statements: [
      new PolicyStatement({
        effect: Effect.DENY,
        actions: INTERFACES,
        resources: ['*'],
        conditions: { ArnEquals: { 'lambda:SourceFunctionArn': functions.map(({ functionArn }) => functionArn) } },
      }),
    ],
  });
}
