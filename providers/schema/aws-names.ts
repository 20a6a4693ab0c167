import * as z from 'zod';

/** A text of some form; `expected` describes the form. */
export const ofPattern = (pattern: RegExp, expected: string): z.ZodType<string> =>
  z.string(expected).regex(pattern, expected);

/** The ARN of a role that is assumed. */
export const role = ofPattern(
  /^arn:aws[a-z-]{0,20}:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
  'the ARN of a role such as arn:aws:iam::123456789012:role/outrigger',
);

export const externalId = ofPattern(
  /^[\w+=,.@:/-]{2,128}$/,
  'an external ID: 2 to 128 letters, digits and characters of +=,.@:/_-',
);

export const region = ofPattern(/^[a-z]{2,4}(?:-[a-z]{1,12}){1,3}-\d{1,2}$/, 'a region such as eu-west-1');

export const eksClusterName = ofPattern(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
  'the name of an EKS cluster: letters, digits, - and _, at most 100',
);
