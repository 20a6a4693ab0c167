import * as z from 'zod';

const Cluster = z.strictObject({
  /** The EKS cluster's name. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, 'expected the name of an EKS cluster')
    // Roles may change groups with the tag k8s.io/cluster-autoscaler/<name>, and IAM compares keys without case.
    .refine(
      (name) => name.toLowerCase() !== 'enabled',
      'every group of Cluster Autoscaler has the tag of a cluster "enabled"',
    ),
  /** Where the stack goes; absent: where the CDK's environment says. */
  account: z
    .string()
    .regex(/^\d{12}$/, 'expected twelve digits')
    .optional(),
  region: z.string().min(1).optional(),
  /** Scaling options, by Cluster Autoscaler's flag names in camelCase. The functions check them. */
  options: z.record(z.string(), z.unknown()).default({}),
  /** Decide and log, but change nothing. */
  dryRun: z.boolean().default(false),
  /** An SNS topic for the alarms. */
  alarmTopicArn: z.string().startsWith('arn:').optional(),
  /**
   * Users of schedulers beside kube-scheduler whose FailedScheduling events wake Outrigger at once, such as
   * `system:serviceaccount:kube-system:my-scheduler`.
   */
  schedulerUsers: z
    .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9:._@/-]{0,252}$/, 'expected the user of a scheduler'))
    .max(20)
    .default([]),
  /** Calls of the doorbell that are answered at the same time; more are turned away and cost nothing. */
  doorbellConcurrency: z.int().min(1).max(100).default(10),
});

export type ClusterSettings = z.infer<typeof Cluster>;

const Clusters = z.array(Cluster).min(1);

/**
 * Reads the context value `clusters`: a list in cdk.json, or the same as JSON text from `--context clusters=…`.
 *
 * @throws Error with every setting that is wrong
 */
export function readClusters(context: unknown): readonly ClusterSettings[] {
  const parsed = Clusters.safeParse(typeof context === 'string' ? parseJson(context) : context);
  if (!parsed.success) {
    throw new Error(`The context value "clusters" (cdk.json) is wrong:\n${z.prettifyError(parsed.error)}`);
  }
  const names = parsed.data.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`The context value "clusters" (cdk.json) names cluster ${twice} twice.`);
  }
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('The context value "clusters" is not JSON.', { cause: error });
  }
}
