import { CONFIG_FILE } from '../../config/read.ts';
import { InvalidSettings } from '../exit-codes.ts';

/**
 * Finds the AWS region of a command, in one order for all commands: as given by the command line or else the
 * configuration, AWS_REGION, AWS_DEFAULT_REGION, the profile.
 *
 * @param given `null` or absent where neither the command line nor the configuration has a region
 * @throws InvalidSettings where no region is known
 */
export async function regionFor(given: string | null | undefined): Promise<string> {
  const { AWS_REGION: region, AWS_DEFAULT_REGION: byDefault } = process.env;
  const known = [given, region, byDefault].find((one) => one !== null && one !== undefined && one !== '');
  const found = known ?? (await regionOfProfile());
  if (found === null) {
    throw new InvalidSettings(`No region is given: pass --region, or write it into ${CONFIG_FILE} or AWS_REGION`);
  }
  return found;
}

/** The SDK knows the region of a profile, but neither AWS_DEFAULT_REGION nor what to do without a region. */
async function regionOfProfile(): Promise<string | null> {
  // Loading a client takes a while, and most commands know their region without it.
  const { EKSClient } = await import('@aws-sdk/client-eks');
  const client = new EKSClient({});
  try {
    return await client.config.region();
  } catch {
    return null;
  } finally {
    client.destroy();
  }
}
