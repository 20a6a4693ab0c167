import { fileURLToPath } from 'node:url';
import { Annotations, Stack, Token } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { partitionOf } from '@outrigger/core/model/table-keys.ts';
import { clusterName as clusterNameOf } from '@outrigger/core/model/values/names.ts';
import { type ClusterFunctions, ClusterResources } from './cluster-resources.ts';
import { type Network, readCluster } from './settings.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** The settings of one cluster: those of outrigger.config.yaml (docs/configuration.md). */
export interface OutriggerProps {
  /** Name of the EKS cluster, known when the stack is synthesized: tags and rights are named after it. */
  readonly clusterName: string;
  /** `observe`: decide and record, and change nothing. `act`: carry the decisions out. Default: `observe`. */
  readonly mode?: 'observe' | 'act';
  /** Whose default an absent option takes. Default: `outrigger`. */
  readonly defaults?: 'outrigger' | 'cluster-autoscaler';
  /** Scaling options under the names of Cluster Autoscaler's flags, in camelCase or in kebab-case. */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * Auto Scaling groups that are node groups: tags, all of which a group has, and names with bounds (`min:max:name`).
   */
  readonly discovery?: { readonly tags?: readonly string[] | string; readonly nodes?: readonly string[] };
  /** Resources of Cluster API as node groups, `{}` with the defaults (docs/cluster-api.md). Default: none. */
  readonly clusterApi?: {
    /** API group of the resources and of their annotations. Default: `cluster.x-k8s.io`. */
    readonly apiGroup?: string;
    /**
     * Selects resources, as `clusterapi:namespace=…,clusterName=…,LABEL=VALUE`. Default: all, in a management cluster
     * those of the Cluster with this name.
     */
    readonly discovery?: readonly string[];
    /** Whether MachineDeployments are node groups. Default: `true`. */
    readonly machineDeployments?: boolean;
    /** Architecture of nodes that nothing shows. Default: `amd64`. */
    readonly defaultArchitecture?: 'amd64' | 'arm64' | 'ppc64le' | 's390x';
    /** Infrastructure templates that may be read, as `RESOURCE.GROUP`. Default: `*.infrastructure.cluster.x-k8s.io`. */
    readonly infrastructureTemplates?: readonly string[];
    /** Whether Auto Scaling groups are node groups besides. Default: `true`. */
    readonly autoScalingGroups?: boolean;
    /** The EKS cluster that has the resources. Default: the cluster itself. */
    readonly managementCluster?: {
      readonly name: string;
      readonly region?: string;
      readonly role?: string;
      readonly externalId?: string;
    };
  };
  /** ARN of a role to assume for the cluster and its Auto Scaling groups, where they are in another account. */
  readonly role?: string;
  /** External ID that the trust policy of `role` asks for. */
  readonly externalId?: string;
  /**
   * The VPC of the functions that talk to the API server, for an endpoint that is private or limited. Needs
   * `securityGroups`.
   */
  readonly vpc?: IVpc;
  /** Subnets in `vpc`. Default: its private ones. */
  readonly vpcSubnets?: SubnetSelection;
  /** Security groups that the endpoint of the cluster lets in. */
  readonly securityGroups?: readonly ISecurityGroup[];
  /** Time between evaluations when no event causes one: whole minutes from `1m` to `1h`. Default: `1m`. */
  readonly scanInterval?: string;
  /** @deprecated The former name of `scanInterval`. */
  readonly tickInterval?: string;
  /** @deprecated It has no effect any more: messages of a queue drive all drains. */
  readonly drains?: 'durable' | 'schedule';
  /** How large the cluster becomes: `small` up to about 300 nodes, `medium` up to 1500, `large`. Default: `medium`. */
  readonly size?: 'small' | 'medium' | 'large';
  /** Whether the functions are traced by AWS X-Ray. Default: not. */
  readonly tracing?: boolean;
  /** Whether the stack applies its manifests, by a function that is a cluster administrator. Default: not. */
  readonly applyManifests?: boolean;
  /** With `applyManifests`: another number makes another token for the webhook. Default: 1. */
  readonly webhookTokenVersion?: number;
  /** Whether the manifests have a FlowSchema and a priority level of the API server. Default: not. */
  readonly flowSchema?: boolean;
  /** Whether there is a bucket with snapshots of the lists that the option `incrementalReads` keeps. Default: there is none. */
  readonly snapshots?: boolean;
  /** Whether there is a CloudWatch dashboard, of which the first three of an account are free. Default: there is. */
  readonly dashboard?: boolean;
  /** ARN of the KMS key that encrypts the table, the queues, the logs and the bucket. Default: keys of AWS. */
  readonly kmsKeyArn?: string;
  /** ARN of the EventBridge event bus for messages. Default: no messages, or with `messageTopic` the default bus. */
  readonly eventBusArn?: string;
  /** Standard SNS topic for messages, as Slack and Teams show them, by a rule of the bus (docs/messages.md). Default: none. */
  readonly messageTopic?: ITopic;
  /** SNS topic that alarms are sent to. */
  readonly alarmTopic?: ITopic;
  /**
   * How the API server notifies Outrigger of pods without a node: a Lambda function URL, an HTTP API (API Gateway), or not
   * at all. Default: `functionUrl`.
   */
  readonly webhook?: 'functionUrl' | 'httpApi' | 'none';
  /**
   * SHA-256 of the tokens that the webhook accepts, as `npx outrigger token` prints them: one, or two while a token is
   * being rotated. Default: the stack has a parameter for them.
   */
  readonly webhookTokenHashes?: readonly string[];
  /** Users of schedulers other than kube-scheduler whose FailedScheduling events cause an evaluation. */
  readonly schedulerUsers?: readonly string[];
  /** Webhook notifications that are handled at the same time; more are turned away. Default: 10 for a function URL. */
  readonly reservedConcurrency?: number | 'none';
  /** The folder with the functions' bundles. Default: those of this package. */
  readonly bundles?: string;
}

/**
 * All that looks after one EKS cluster, in a stack of yours. The functions run where the stack is: in the region of the
 * cluster, and in its account unless there is a `role`.
 *
 * @throws Error with every setting that is wrong
 */
export class Outrigger extends Construct {
  /** The state of the cluster, its history and its drains. */
  readonly table: ITable;
  /** The functions by their part: `scaleUp`, `scaleDown`, `drain`, `actuate`, `wake`, and if the settings have them `ingest` and `widget`. */
  readonly functions: ClusterFunctions;
  /** The alarms, for actions of your own. */
  readonly alarms: readonly IAlarm[];
  /** The address of the webhook without its token; `null`: there is no webhook. */
  readonly webhookUrl: string | null;
  readonly #clusterName: string;

  constructor(scope: Construct, id: string, props: OutriggerProps) {
    super(scope, id);
    const { clusterName, alarmTopic, messageTopic, bundles, vpc, vpcSubnets, securityGroups, ...settings } = props;
    if (Token.isUnresolved(clusterName)) {
      throw new Error(
        `Outrigger ${this.node.path}: clusterName: expected a name that is known at synthesis, found a token of the CDK, which is known at deployment. Give the cluster a name, and pass the same text here`,
      );
    }
    const network = networkIn({ vpc, vpcSubnets, securityGroups }, this.node.path);
    const { region } = Stack.of(this);
    const place = Token.isUnresolved(region) ? {} : { region };
    const { cluster, warnings } = readCluster(
      { name: clusterName, ...place, ...settings },
      `Outrigger ${this.node.path}`,
    );
    for (const warning of warnings) {
      Annotations.of(this).addWarningV2('outrigger:setting', warning);
    }
    const resources = new ClusterResources(this, 'Resources', {
      cluster: { ...cluster, alarmTopicArn: alarmTopic?.topicArn, messageTopicArn: messageTopic?.topicArn },
      network,
      bundles: bundles ?? fileURLToPath(new URL('../functions', import.meta.url)),
    });
    this.table = resources.table;
    this.functions = resources.functions;
    this.alarms = resources.alarms;
    this.webhookUrl = resources.webhookUrl;
    this.#clusterName = clusterName;
  }

  /** Lets a role read what is stored of the cluster, as `outrigger status`, `explain` and `history` with `--table` do. */
  grantStatus(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['dynamodb:Query'],
      resourceArns: [this.table.tableArn],
      conditions: {
        'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [partitionOf(clusterNameOf(this.#clusterName))] },
      },
    });
  }
}

type Place = Pick<OutriggerProps, 'vpc' | 'vpcSubnets' | 'securityGroups'>;

function networkIn(
  { vpc, vpcSubnets, securityGroups = [] }: { readonly [Name in keyof Place]: Place[Name] | undefined },
  path: string,
): Network | undefined {
  if ((vpc === undefined) !== (securityGroups.length === 0)) {
    const [given, missing] = vpc === undefined ? ['securityGroups', 'vpc'] : ['vpc', 'securityGroups'];
    throw new Error(`Outrigger ${path}: expected ${missing} with ${given}, found ${given} alone`);
  }
  return mapOptional(vpc, (given) => ({
    subnetIds: given.selectSubnets(vpcSubnets).subnetIds,
    securityGroupIds: securityGroups.map(({ securityGroupId }) => securityGroupId),
  }));
}
