import { accessEntriesOf } from './eks.ts';
import { functionUrlsOf } from './endpoints.ts';
import { mappingsOf } from './event-sources.ts';
import { httpApisOf } from './http-apis.ts';
import { iamOf } from './iam.ts';
import { matches } from './pattern.ts';
import { newRecords, type Occasion } from './records.ts';
import type { Resolve } from './resolve.ts';
import { resourcesOf, type Template } from './synthesize.ts';
import { inputOf, type Rule, rulesOf } from './triggers.ts';

/** Effects of an occasion by a template: comparable as JSON. */
export type Wiring = (occasion: Occasion) => Promise<unknown>;

const AT = { source: 'aws.events', 'detail-type': 'Scheduled Event', time: '2026-01-01T12:00:00Z' };

/**
 * How a template wires what happens to what is done about it.
 *
 * @throws Error for a template that CloudFormation or a service would refuse
 */
export function wiringOf(
  template: Template,
  resolve: Resolve,
  place: { readonly account: string; readonly region: string },
): Wiring {
  const mappings = mappingsOf(template, resolve, place);
  const rules = [...rulesOf(template, resolve).values()].filter(({ State }) => State !== 'DISABLED');
  const endpoints = [...functionUrlsOf(template, resolve), ...httpApisOf(template, resolve, place)];
  const iam = iamOf(place.account, template, resolve, newRecords());
  const entries = accessEntriesOf(template, resolve, iam);
  const functions = new Map(
    resourcesOf(template, 'AWS::Lambda::Function').map(([id]) => [resolve({ 'Fn::GetAtt': [id, 'Arn'] }), id]),
  );
  const byRules = (such: (rule: Rule) => boolean, event: Readonly<Record<string, unknown>>): readonly unknown[] =>
    rules.filter(such).flatMap(({ Targets }) =>
      Targets.map((target) => {
        if (target.Id === undefined) throw new Error('A target of a rule has an Id');
        return [target.Arn, target.RoleArn, target.SqsParameters, inputOf(target, event)];
      }),
    );
  const leadsTo: { [K in Occasion['kind']]: (occasion: Extract<Occasion, { readonly kind: K }>) => unknown } = {
    message: ({ queue, failed }) =>
      mappings
        .filter(({ source }) => source === queue)
        .map(({ target, reportsFailures }) => [target, failed && reportsFailures ? 'comes again' : 'is deleted']),
    record: ({ stream, record }) =>
      mappings
        .filter(({ source, patterns }) => source === stream && isWanted(patterns, record))
        .map(({ target }) => target),
    time: ({ expression }) => byRules(({ ScheduleExpression }) => ScheduleExpression === expression, AT),
    event: ({ event }) =>
      byRules(({ EventPattern }) => EventPattern !== undefined && matches(EventPattern, event), event),
    call: async ({ host, method, path }) => {
      const endpoint = endpoints.find((each) => each.host === host && each.takes(method, path));
      return endpoint === undefined ? null : [endpoint.target, await endpoint.mayCall(iam, endpoint.target)];
    },
    invocation: ({ arn }) => functions.get(arn) ?? null,
    token: ({ cluster, accessKey }) =>
      entries.filter((entry) => entry.cluster === cluster && entry.accessKey === accessKey).map(({ groups }) => groups),
  };
  return async (occasion) => await leadsTo[occasion.kind](occasion as never);
}

const isWanted = (patterns: readonly Parameters<typeof matches>[0][], record: unknown): boolean =>
  patterns.length === 0 || patterns.some((pattern) => matches(pattern, record));

/** Does an occasion of a run lead to something else, or is the template refused? */
export async function isRewired(
  original: Wiring,
  changed: () => Wiring,
  occasions: readonly Occasion[],
): Promise<boolean> {
  let wiring: Wiring;
  try {
    wiring = changed();
  } catch {
    return true;
  }
  const distinct = new Map(occasions.map((occasion) => [JSON.stringify(occasion), occasion]));
  for (const occasion of distinct.values()) {
    try {
      if (JSON.stringify(await original(occasion)) !== JSON.stringify(await wiring(occasion))) return true;
    } catch {
      return true;
    }
  }
  return false;
}
