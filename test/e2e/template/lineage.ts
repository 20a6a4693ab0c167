/**
 * The trace header by which Lambda counts the invocations of a chain: AWS's SDKs pass it on with each call that a function makes, and
 * SQS with the message. See https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html.
 */
const TRACE = 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0';

/** Lambda drops the invocation after a chain of this length, unless the function allows it. */
export const LONGEST_CHAIN = 16;

/** @param chain length of the chain that ends with the invocation */
export const traceHeader = (chain: number): string => `${TRACE};Lineage=1:25b5b9a0:${chain}`;

/** Number of the invocations that have led to a call with this header. */
export const chainOf = (header: string | readonly string[] | undefined): number =>
  Number(/Lineage=1:\w+:(\d+)/.exec([header].flat()[0] ?? '')?.[1] ?? 0);
