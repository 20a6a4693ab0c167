import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { ScalingGroup } from '@outrigger/providers/aws/groups/scaling-group.ts';
import type { DeployedStack } from '../../install/stack/deployed.ts';
import type { DoctorSettings } from '../settings.ts';
import type { Fact } from './fact.ts';
import type { PartlyTagged } from './partly-tagged.ts';

/** An EKS cluster, as far as it matters to a deployment. */
export interface EksCluster {
  /** `aws`, `aws-cn` …, from the ARN; `aws` where the ARN has none. */
  readonly partition: string;
  /** Twelve digits, from the ARN; `''` where the ARN has none. */
  readonly account: string;
  readonly status: string;
  /** `1.33`. */
  readonly version: string;
  /** `CONFIG_MAP`, `API` or `API_AND_CONFIG_MAP`. */
  readonly authenticationMode: string;
  readonly endpoint: string | null;
  readonly publicAccess: boolean;
  readonly publicCidrs: readonly string[];
  readonly privateAccess: boolean;
  /** How its control plane reaches webhooks: `AWS_MANAGED`, `CUSTOMER_ROUTED` or `CUSTOMER_ISOLATED`. */
  readonly egress: string;
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  readonly securityGroupId: string;
}

/** A CloudFormation stack. */
export type Stack = Pick<DeployedStack, 'status' | 'outputs'>;

/** Concurrent executions of Lambda in the account and region. */
export interface Concurrency {
  readonly quota: number;
  /** Concurrency that no function has reserved. */
  readonly unreserved: number;
}

export interface ManagedGroup {
  readonly name: string;
  readonly seen: Fact<{
    /** `ACTIVE`, `UPDATING`, `DEGRADED` … */
    readonly status: string;
    /** Whether EKS repairs unhealthy nodes. */
    readonly repairs: boolean;
  }>;
  /** Whether Outrigger is to replace unhealthy nodes. */
  readonly repairWanted: boolean;
}

/** A Deployment of Cluster Autoscaler. */
export interface Autoscaler {
  readonly namespace: string;
  readonly name: string;
  /** Desired replicas of the autoscaler. */
  readonly replicas: number;
  /** Flags of the autoscaler, without dashes. */
  readonly flags: readonly { readonly name: string; readonly value: string }[];
}

/** CapacityQuotas, which limit Cluster Autoscaler. */
export interface CapacityQuotas {
  readonly names: readonly string[];
  /** The API server serves the quotas in an older version alone, which is not read for decisions. */
  readonly outdated: boolean;
}

/** Whether the user may make a request to the API server. */
export interface Permission {
  /** `list pods`, `create pods/eviction`. */
  readonly request: string;
  /** The command that needs the permission. */
  readonly neededBy: 'local' | 'deployment';
  readonly allowed: boolean;
}

/** The API server, as the user reaches it. */
export interface KubernetesFacts {
  /** The URL of the server that is read; `null` where no connection is known. */
  readonly server: string | null;
  /** The cluster is read as the role in the account of the cluster, not as the user. */
  readonly asRole: boolean;
  readonly permissions: Fact<readonly Permission[]>;
  readonly autoscalers: Fact<readonly Autoscaler[]>;
  /** When a Cluster Autoscaler last wrote its status; `null` where there is no status. */
  readonly autoscalerStatus: Fact<EpochMs | null>;
  /** Names of Karpenter's NodePools. */
  readonly nodePools: Fact<readonly string[]>;
  readonly capacityQuotas: Fact<CapacityQuotas>;
  /**
   * The URLs of the webhook of this cluster's name, one for each kind of notification; `null` where there is no
   * webhook.
   */
  readonly webhook: Fact<readonly string[] | null>;
  readonly nodes: Fact<readonly Node[]>;
}

/** A resource of Cluster API with bounds, or an Auto Scaling group. */
export interface ResourceGroup {
  readonly name: string;
  /** Why it cannot be used; `null`: it can. */
  readonly problem: string | null;
}

/** A resource of Cluster API with bounds. */
export interface ClusterApiGroup extends ResourceGroup {
  /** Decisions go by its price, and nothing states the price. */
  readonly lacksPrice: boolean;
}

/** Another cluster, which has the resources of Cluster API. */
export interface ManagementFacts {
  readonly name: string;
  /** The cluster is read as the role that the functions assume in the management cluster, not as the user. */
  readonly asRole: boolean;
  readonly permissions: Fact<readonly Permission[]>;
  readonly autoscalers: Fact<readonly Autoscaler[]>;
}

/** The Auto Scaling groups whose next node has no known price. */
export interface UnpricedGroups {
  readonly groups: readonly string[];
  /** Why, as far as AWS has said so. */
  readonly why: readonly string[];
}

/** Everything that the checks judge. */
export interface Facts {
  readonly now: EpochMs;
  readonly settings: DoctorSettings;
  readonly region: Fact<string>;
  /** A session of the role in the account of the cluster, where there is one. */
  readonly session: Fact<unknown>;
  /** `null`: the cluster does not exist. */
  readonly cluster: Fact<EksCluster | null>;
  /** The stack of `cdk bootstrap`; `null`: there is none. */
  readonly bootstrap: Fact<Stack | null>;
  /** The stack of this cluster's Outrigger; `null`: there is none yet. */
  readonly deployment: Fact<Stack | null>;
  readonly concurrency: Fact<Concurrency>;
  readonly groups: Fact<readonly ScalingGroup[]>;
  readonly partlyTagged: Fact<readonly PartlyTagged[]>;
  /** Auto Scaling groups without a price; `null`: no decision about them goes by prices. */
  readonly unpriced: Fact<UnpricedGroups | null>;
  /** Node groups whose new nodes do not wait for their pods; `null`: placement is not planned. */
  readonly untainted: Fact<readonly string[] | null>;
  readonly nodeGroups: readonly ManagedGroup[];
  /** Resources of Cluster API; empty without the setting. */
  readonly resources: Fact<readonly ClusterApiGroup[]>;
  /** The management cluster; `null`: the cluster itself has the resources, or there are none. */
  readonly management: ManagementFacts | null;
  readonly kubernetes: KubernetesFacts;
}
