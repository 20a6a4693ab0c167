/** AWS' normalization factors of sizes below `xlarge`, times four: the smallest is 1. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['nano', 1],
  ['micro', 2],
  ['small', 4],
  ['medium', 8],
  ['large', 16],
  ['xlarge', 32],
]);

interface InstanceSize {
  readonly family: string;
  /** Proportional to the size: a node of twice the size has twice as many. */
  readonly units: number;
}

/**
 * Family and size of an instance type such as `m5.2xlarge`; `null` for `metal`, whose factor differs between families: reserved
 * instances of other sizes count as not covering the node.
 *
 * Source: "How Reserved Instances are applied" in the EC2 user guide.
 */
export function sizeOfType(type: string): InstanceSize | null {
  const [family = '', size = ''] = type.split('.');
  const multiple = /^(\d{1,3})xlarge$/.exec(size)?.[1];
  const units = multiple === undefined ? UNITS.get(size) : 32 * Number(multiple);
  if (family === '' || units === undefined || units === 0) {
    return null;
  }
  return { family, units };
}
