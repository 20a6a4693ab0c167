import { textBefore } from '@outrigger/core/model/values/existing.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';

/** Properties in which AWS's regions differ, as far as Outrigger depends on them. */
export interface RegionCapabilities {
  /** The end of the names of services' hosts. */
  readonly domain: 'amazonaws.com' | 'amazonaws.com.cn' | 'amazonaws.eu';
  /** Whether a Lambda function can have a URL. */
  readonly functionUrls: boolean;
  /** Whether Lambda sends traces to X-Ray. */
  readonly tracing: boolean;
  /** Whether AWS's price list answers to credentials of the region, in USD. */
  readonly priceList: boolean;
  /** Whether services without regions, such as Savings Plans, have one endpoint for it, with signatures for us-east-1. */
  readonly hasGlobalServices: boolean;
}

/**
 * Regions where Lambda has no function URLs: regions that the developer guide names ("Creating and managing Lambda
 * function URLs"), and regions whose CloudFormation has no `AWS::Lambda::Url` (cfn-lint 1.58). Read on 2026-11-24. A
 * region that is not in the list, such as a new region, counts as one with function URLs.
 */
const WITHOUT_FUNCTION_URLS: ReadonlySet<string> = new Set([
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'mx-central-1',
]);

/** By the beginning of a region: of the regions of China, and of the AWS European Sovereign Cloud. */
const DOMAINS: Readonly<Record<string, RegionCapabilities['domain']>> = {
  cn: 'amazonaws.com.cn',
  eusc: 'amazonaws.eu',
};

/**
 * The regions of China have no function URLs and no X-Ray with Lambda ("Amazon Lambda", Getting Started with Amazon Web
 * Services in China), and a price list in CNY. GovCloud has no endpoint of the price list. Read on 2026-11-29. Hosts of the AWS European
 * Sovereign Cloud end in `amazonaws.eu` (`partitions.json` of the AWS SDKs), its prices are in EUR, and no page confirms function URLs.
 *
 * @param region such as `eu-west-1`.
 */
export function capabilitiesOf(region: string): RegionCapabilities {
  const domain = valueOf(DOMAINS, textBefore(region, '-'));
  const isCommercial = domain === undefined && !region.startsWith('us-gov-');
  return {
    domain: domain ?? 'amazonaws.com',
    functionUrls: isCommercial && !WITHOUT_FUNCTION_URLS.has(region),
    tracing: domain !== 'amazonaws.com.cn',
    priceList: isCommercial,
    hasGlobalServices: isCommercial,
  };
}
