import { describe, expect, test } from 'vitest';
import { classifyFailure, classifyLaunchFailure, failureOf } from '../../../../providers/aws/api/failures.ts';

describe('error codes', () => {
  test.each([
    ['Throttling', 'Rate exceeded', 'Throttled'],
    ['RequestLimitExceeded', 'Request limit exceeded.', 'Throttled'],
    ['ThrottlingException', 'Rate exceeded', 'Throttled'],
    ['ResourceContentionFault', 'You already have a pending update to this resource.', 'Throttled'],
    ['ScalingActivityInProgress', 'Scaling activity … is in progress and blocks this action', 'Throttled'],
    [
      'AccessDenied',
      'User: arn:aws:sts::… is not authorized to perform: autoscaling:SetDesiredCapacity',
      'Authorization',
    ],
    ['UnauthorizedOperation', 'You are not authorized to perform this operation.', 'Authorization'],
    ['InvalidClientTokenId', 'The security token included in the request is invalid.', 'Authorization'],
    ['ExpiredToken', 'The security token included in the request is expired', 'Authorization'],
    ['AuthFailure', 'AWS was not able to validate the provided access credentials', 'Authorization'],
    ['OptInRequired', 'You are not subscribed to this service.', 'Authorization'],
    ['InsufficientInstanceCapacity', 'We currently do not have sufficient m5.large capacity', 'OutOfResources'],
    ['Server.InsufficientInstanceCapacity', 'Insufficient capacity.', 'OutOfResources'],
    ['UnfulfillableCapacity', 'Unable to fulfill capacity due to your request configuration.', 'OutOfResources'],
    ['SpotMaxPriceTooLow', 'Your Spot request price of 0.01 is lower than …', 'OutOfResources'],
    ['VcpuLimitExceeded', 'You have requested more vCPU capacity than your current vCPU limit of 32', 'Quota'],
    ['InstanceLimitExceeded', 'Your quota allows for 0 more running instance(s).', 'Quota'],
    // The account may get no more instances on spot now, and others on demand: as with capacity, not as with a limit of all.
    ['MaxSpotInstanceCountExceeded', 'Max spot instance count exceeded', 'OutOfResources'],
    ['ReservationCapacityExceeded', 'The capacity reservation has no capacity left', 'OutOfResources'],
    ['LimitExceeded', 'You have reached a limit', 'Quota'],
    ['InsufficientFreeAddressesInSubnet', 'There are not enough free addresses in subnet', 'Addresses'],
    ['InsufficientCidrBlocks', 'There are not enough free cidr blocks', 'Addresses'],
    ['InvalidLaunchTemplateId.NotFound', 'The specified launch template does not exist.', 'Configuration'],
    ['InvalidAMIID.NotFound', "The image id '[ami-0]' does not exist", 'Configuration'],
    ['InvalidLaunchTemplateName.NotFoundException', 'The specified launch template does not exist.', 'Configuration'],
    ['InvalidKeyPair.NotFound', "The key pair 'x' does not exist", 'Configuration'],
    ['InvalidParameterValue', 'Invalid IAM Instance Profile name', 'Configuration'],
    ['ValidationError', 'You must use a valid fully-formed launch template.', 'Configuration'],
    ['InvalidKMSKey.InvalidState', 'The KMS key provided is in an incorrect state', 'Authorization'],
    ['KMSKeyNotAccessibleFault', 'The KMS key provided is not accessible', 'Authorization'],
    ['InvalidParameterValue', 'Invalid value', 'Configuration'],
    ['ResourceNotFoundException', 'No node group found for name: workers.', 'Configuration'],
    ['Unsupported', 'Your requested instance type (m7g.large) is not supported in …', 'Configuration'],
    ['ValidationError', 'AutoScalingGroup name not found - AutoScalingGroup a not found', 'Configuration'],
    [
      'ValidationError',
      'New SetDesiredCapacity value 11 is above max value 10 for the AutoScalingGroup.',
      'Configuration',
    ],
    ['ValidationError', 'You are not authorized to use launch template: lt-1', 'Authorization'],
    ['ValidationError', 'Something that is not documented', 'Configuration'],
    ['RequestTimeout', 'Your socket connection to the server was not read from', 'Timeout'],
    ['TimeoutError', 'connect ETIMEDOUT', 'Timeout'],
    ['InternalFailure', 'The request processing has failed', 'Other'],
    ['InternalError', 'An internal error has occurred', 'Other'],
    ['ServiceUnavailable', 'The request has failed due to a temporary failure', 'Other'],
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'Other'],
  ])('%s, %j is %s', (code, message, expected) => {
    expect(classifyFailure(code, message)).toBe(expected);
  });
});

// Auto Scaling gives EC2's sentence without its code where it launches by itself.
describe('status messages without a code', () => {
  test.each([
    [
      'Unable to fulfill capacity due to your request configuration. Please adjust your request and try again.',
      'OutOfResources',
    ],
    ['Max spot instance count exceeded. Launching EC2 instance failed.', 'OutOfResources'],
    [
      'The requested reservation does not have sufficient compatible and available capacity for this request.',
      'OutOfResources',
    ],
    [
      'Your Spot request price of 0.0015 is lower than the minimum required Spot request fulfillment price of 0.0034.',
      'OutOfResources',
    ],
    ['Insufficient capacity.', 'OutOfResources'],
    ['Your quota allows for 0 more running instance(s). You requested at least 1.', 'Quota'],
    ['The maximum number of addresses has been reached.', 'Quota'],
    ["You've reached your quota for maximum Fleet Requests for this account.", 'Quota'],
    ['You have exceeded your maximum gp3 storage limit of 50 TiB in this region.', 'Quota'],
    ['The specified subnet does not have enough free addresses to satisfy the request.', 'Addresses'],
    ['The requested configuration is currently not supported. Please check the documentation.', 'Configuration'],
    ['The requested Availability Zone is no longer supported. Please retry your request.', 'Configuration'],
    ["Volume of size 10GB is smaller than snapshot 'snap-1', expect size >= 20GB.", 'Configuration'],
    [
      "The architecture 'arm64' of the specified instance type does not match the architecture 'x86_64' of the specified AMI.",
      'Configuration',
    ],
    ['Security group sg-1 and subnet subnet-2 belong to different networks.', 'Configuration'],
    ['AMI cannot be described', 'Configuration'],
    ['In order to use this AWS Marketplace product you need to accept terms and subscribe.', 'Configuration'],
    ['The service-linked role has been deleted or its sts access has not been configured properly.', 'Authorization'],
    ['Your account is currently blocked. Contact aws-verification@amazon.com if you have questions.', 'Authorization'],
    ['You are not subscribed to this service. Please go to http://aws.amazon.com to subscribe.', 'Authorization'],
    ['Server.InternalError: Internal error on launch', 'Other'],
  ])('%s is %s', (message, expected) => {
    expect(classifyLaunchFailure(message).class).toBe(expected);
  });
});

describe('status messages of failed launches', () => {
  test.each([
    [
      'We currently do not have sufficient p3.8xlarge capacity in the Availability Zone you requested (us-east-1a). Our system will be working on provisioning additional capacity. You can currently get p3.8xlarge capacity by not specifying an Availability Zone in your request or choosing us-east-1b. Launching EC2 instance failed.',
      'OutOfResources',
      'LaunchFailed',
    ],
    [
      'Could not launch Spot Instances. UnfulfillableCapacity - Unable to fulfill capacity due to your request configuration. Please adjust your request and try again. Launching EC2 instance failed.',
      'OutOfResources',
      'UnfulfillableCapacity',
    ],
    [
      'Could not launch Spot Instances. InsufficientInstanceCapacity - There is no Spot capacity available that matches your request. Launching EC2 instance failed.',
      'OutOfResources',
      'InsufficientInstanceCapacity',
    ],
    [
      'Could not launch Spot Instances. SpotMaxPriceTooLow - Your Spot request price of 0.001 is lower than the minimum required Spot request fulfillment price of 0.05. Launching EC2 instance failed.',
      'OutOfResources',
      'SpotMaxPriceTooLow',
    ],
    [
      'Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket that the specified instance type belongs to. Launching EC2 instance failed.',
      'Quota',
      'VcpuLimitExceeded',
    ],
    [
      'You have requested more vCPU capacity than your current vCPU limit of 16 allows for the instance bucket that the specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit. Launching EC2 instance failed.',
      'Quota',
      'LaunchFailed',
    ],
    [
      "There are not enough free addresses in subnet 'subnet-0123' to satisfy the requested number of instances. Launching EC2 instance failed.",
      'Addresses',
      'LaunchFailed',
    ],
    [
      'Client.InternalError: Client error on launch',
      'Authorization', // the role may not use the volume's key
      'InternalError',
    ],
    [
      'Client.InvalidKMSKey.InvalidState: The KMS key provided is in an incorrect state. Launching EC2 instance failed.',
      'Authorization',
      'InvalidKMSKey.InvalidState',
    ],
    ["The image id '[ami-0123456789]' does not exist. Launching EC2 instance failed.", 'Configuration', 'LaunchFailed'],
    [
      'Your requested instance type (m6g.large) is not supported in your requested Availability Zone (us-east-1e). Please retry your request by not specifying an Availability Zone or choosing us-east-1a. Launching EC2 instance failed.',
      'Configuration',
      'LaunchFailed',
    ],
    [
      'You are not authorized to perform this operation. Encoded authorization failure message: aBcD. Launching EC2 instance failed.',
      'Authorization',
      'LaunchFailed',
    ],
    [
      'Could not launch Spot Instances. MaxSpotInstanceCountExceeded - Max spot instance count exceeded. Launching EC2 instance failed.',
      'OutOfResources',
      'MaxSpotInstanceCountExceeded',
    ],
    [
      'ReservationCapacityExceeded - The requested reservation has no capacity left. Launching EC2 instance failed.',
      'OutOfResources',
      'ReservationCapacityExceeded',
    ],
    [
      'User: arn:aws:sts::123456789012:assumed-role/x is not authorized to perform: ec2:RunInstances with an explicit deny in a service control policy. Launching EC2 instance failed.',
      'Authorization',
      'LaunchFailed',
    ],
    ['Invalid IAM Instance Profile name. Launching EC2 instance failed.', 'Configuration', 'LaunchFailed'],
    ["The key pair 'x' does not exist. Launching EC2 instance failed.", 'Configuration', 'LaunchFailed'],
    [
      'You must use a valid fully-formed launch template. The specified launch template, with template ID lt-0, does not exist. Launching EC2 instance failed.',
      'Configuration',
      'LaunchFailed',
    ],
    ['Launching EC2 instance failed.', 'Other', 'LaunchFailed'],
  ])('%s', (message, expected, code) => {
    expect(classifyLaunchFailure(message)).toEqual({ class: expected, code, message });
  });
});

const named = (name: string, extra: object = {}) => Object.assign(new Error('words'), { name }, extra);

describe('errors', () => {
  test.each([
    ['of a service', named('AccessDenied', { $metadata: { httpStatusCode: 403 } }), 'Authorization', 'AccessDenied'],
    [
      'of a service, undocumented, with status 429',
      named('Odd', { $metadata: { httpStatusCode: 429 } }),
      'Throttled',
      'Odd',
    ],
    ['of the network', named('Error', { code: 'ECONNRESET' }), 'Other', 'ECONNRESET'],
    ['of time', named('TimeoutError'), 'Timeout', 'TimeoutError'],
    ['of missing credentials', named('CredentialsProviderError'), 'Authorization', 'CredentialsProviderError'],
  ])('%s', (_, error, expected, code) => {
    expect(failureOf(error)).toEqual({ class: expected, code, message: 'words' });
  });

  test.each([
    ['a bug', new TypeError('x is not a function')],
    ['an abort', named('AbortError', { code: 'ABORT_ERR' })],
    ['no error at all', 'oops'],
  ])('%s is none of AWS', (_, error) => {
    expect(failureOf(error)).toBeNull();
  });
});
