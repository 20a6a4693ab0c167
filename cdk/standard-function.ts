import { required } from '@outrigger/core/model/values/existing.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type EventInvokeConfigOptions,
  Function,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

export interface StandardFunctionProps {
  /** The folder with the bundle. */
  readonly bundle: string;
  readonly description: string;
  readonly memoryMiB: number;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether invocations are traced by X-Ray. */
  readonly tracing: boolean;
  /** Key of the function's log; `null`: a key of AWS. */
  readonly key: IKey | null;
  readonly reservedConcurrency?: number | undefined;
  /**
   * For a function that EventBridge or another function invokes asynchronously: how often Lambda repeats an invocation that
   * failed, and how long it keeps one that waits for concurrency. Lambda's own values are two and six hours, whatever the
   * target of the rule says: its policy is about delivery to Lambda alone.
   */
  readonly asynchronous?: EventInvokeConfigOptions;
  /**
   * For a function that sends messages to itself, or that such a function invokes: Lambda would drop the invocation after the
   * 16th of such a chain. Chains here end by themselves.
   */
  readonly mayRecur?: boolean;
  /**
   * The construct that has the function, for one that no update can make from the function of earlier versions: the logical ID of
   * the function is another one. Those of the role, which policies of other accounts name, and of the log stay. Absent: the scope.
   */
  readonly parent?: Construct;
}

/** The role of a function that the stack makes. */
export const functionRole = ({ role, node }: Function): IRole => required(role, `the role of ${node.id}`);

/**
 * A Lambda function as all of Outrigger's are: Node 24 on Graviton, JSON logs in a group that forgets. Its role
 * may write to that group and is given nothing else here, where the CDK's default would allow every log group.
 */
export function standardFunction(scope: Construct, id: string, props: StandardFunctionProps): Function {
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
    ...present({ encryptionKey: props.key }),
  });
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  return new Function(props.parent ?? scope, id, {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(props.bundle),
    handler: 'index.handler',
    description: props.description,
    memorySize: props.memoryMiB,
    timeout: props.timeout,
    // Without it, Powertools would make segments that are thrown away.
    environment: { ...props.environment, ...present({ POWERTOOLS_TRACE_ENABLED: props.tracing ? null : 'false' }) },
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    // Lambda's own lines about invocations that fail or run out of time or memory, not three about each that succeeds.
    systemLogLevelV2: SystemLogLevel.WARN,
    tracing: props.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    ...props.asynchronous,
    ...present({
      recursiveLoop: props.mayRecur === true ? RecursiveLoop.ALLOW : null,
      reservedConcurrentExecutions: props.reservedConcurrency,
    }),
  });
}
