import { present } from '@outrigger/core/model/values/present.ts';
import type { EC2Client } from '@aws-sdk/client-ec2';
import * as z from 'zod';
import { capabilitiesOf } from '../../schema/regions.ts';
import { createSignedCall, readAnswer } from './signed-call.ts';

/** A savings plan for EC2 instances, before its rates are known. */
export interface SavingsPlanTerms {
  readonly id: string;
  /** `null`: all families. */
  readonly family: string | null;
  /** USD per hour. */
  readonly commitment: number;
}

/** The calls of Savings Plans. They reject with an error that `failureOf` knows. */
export interface SavingsPlansApi {
  /** The active plans of the account for EC2 instances of the region. */
  plans(signal?: AbortSignal): Promise<readonly SavingsPlanTerms[]>;
  /** The rates of a plan for Linux on shared hardware in the region, in USD per hour, by instance type. */
  rates(id: string, types: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, number>>;
}

const TIMEOUT_MS = 3_000;

const amount = z.string().transform(Number);
const nextToken = z.string().nullish();
const plansPage = z.object({
  savingsPlans: z
    .array(
      z.object({
        savingsPlanId: z.string(),
        savingsPlanType: z.string(),
        ec2InstanceFamily: z.string().nullish(),
        region: z.string().nullish(),
        commitment: amount,
      }),
    )
    .default([]),
  nextToken,
});
const ratesPage = z.object({
  searchResults: z
    .array(
      z.object({
        rate: amount,
        unit: z.string(),
        properties: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
      }),
    )
    .default([]),
  nextToken,
});

/**
 * `DescribeSavingsPlans` and `DescribeSavingsPlanRates`, with the connections and the credentials of another client: two calls
 * would otherwise need a client of their own in each function. A call is made once; what is not known is asked for again later.
 *
 * @param endpoint in place of that of AWS; absent: as the SDK's variables of the environment say.
 */
export function createSavingsPlansApi(client: EC2Client, region: string, endpoint?: string): SavingsPlansApi {
  const { AWS_ENDPOINT_URL_SAVINGSPLANS: own, AWS_ENDPOINT_URL: any } = process.env;
  // The partition `aws` has a single endpoint, with the plans of all its regions.
  const { hasGlobalServices } = capabilitiesOf(region);
  const call = createSignedCall(client, {
    service: 'savingsplans',
    region: hasGlobalServices ? 'us-east-1' : region,
    endpoint: endpoint ?? own ?? any ?? (hasGlobalServices ? 'https://savingsplans.amazonaws.com' : undefined),
    timeoutMs: TIMEOUT_MS,
  });

  const pagesOf = async <P extends { readonly nextToken?: string | null | undefined }>(
    operation: string,
    { input, page }: { readonly input: object; readonly page: z.ZodType<P> },
    signal?: AbortSignal,
  ): Promise<readonly P[]> => {
    const pages: P[] = [];
    let token: string | null | undefined;
    do {
      const body = JSON.stringify({ ...input, ...present({ nextToken: token || null }) });
      const headers = { 'content-type': 'application/json' };
      const answer = await call({ method: 'POST', path: `/${operation}`, headers, body }, signal);
      const read = readAnswer(page, answer);
      pages.push(read);
      token = read.nextToken;
    } while (token);
    return pages;
  };

  return {
    async plans(signal) {
      const request = { input: { states: ['active'] }, page: plansPage };
      const pages = await pagesOf('DescribeSavingsPlans', request, signal);
      return pages
        .flatMap(({ savingsPlans }) => savingsPlans)
        .filter(
          ({ savingsPlanType: type, region: ofPlan, commitment }) =>
            commitment > 0 && (type === 'Compute' || (type === 'EC2Instance' && ofPlan === region)),
        )
        .map(({ savingsPlanId: id, savingsPlanType: type, ec2InstanceFamily, commitment }) => ({
          id,
          family: type === 'Compute' ? null : (ec2InstanceFamily ?? null),
          commitment,
        }));
    },

    async rates(id, types, signal) {
      const filters = Object.entries({
        region: [region],
        instanceType: types,
        productDescription: ['Linux/UNIX'],
        tenancy: ['shared'],
        productType: ['EC2'],
      }).map(([name, values]) => ({ name, values }));
      const request = { input: { savingsPlanId: id, filters }, page: ratesPage };
      const pages = await pagesOf('DescribeSavingsPlanRates', request, signal);
      const rates = new Map<string, number>();
      for (const { rate, unit, properties } of pages.flatMap(({ searchResults }) => searchResults)) {
        const type = properties.find(({ name }) => name === 'instanceType')?.value;
        // Unused capacity reservations (`UnusedBox`) have a rate beside instances (`BoxUsage`): the higher rate covers fewer nodes.
        if (type !== undefined && unit === 'Hrs' && rate > (rates.get(type) ?? 0)) {
          rates.set(type, rate);
        }
      }
      return rates;
    },
  };
}
