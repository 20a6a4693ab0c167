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
  'cn-northwest-1',
  'eu-central-2',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'mx-central-1',
  'us-gov-east-1',
  'us-gov-west-1',
]);

/** Whether a Lambda function can have a URL in the region, such as `eu-west-1`. */
export const hasFunctionUrls = (region: string): boolean => !WITHOUT_FUNCTION_URLS.has(region);
