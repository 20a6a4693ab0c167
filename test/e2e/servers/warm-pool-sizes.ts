import type { Answer } from './proxy.ts';

/**
 * An answer to `DescribeAutoScalingGroups` with the `WarmPoolSize` that moto leaves out: it keeps what `PutWarmPool` has set, and
 * plays no instances of it. AWS fills a pool up to `MaxGroupPreparedCapacity` (by default the maximum of the group) less the
 * desired capacity, and to its `MinSize` at least.
 */
export function withWarmPoolSizes(answer: Answer): Answer {
  const text = answer.body.toString('utf8');
  if (!text.includes('<WarmPoolConfiguration>') || text.includes('<WarmPoolSize>')) {
    return answer;
  }
  // Each group ends before the name of the next one.
  const parts = text.split(/(?=<AutoScalingGroupName>)/);
  const body = Buffer.from(parts.map(withSize).join(''));
  return { ...answer, headers: { ...answer.headers, 'content-length': String(body.length) }, body };
}

function withSize(part: string): string {
  const pool = /<WarmPoolConfiguration>([\s\S]*?)<\/WarmPoolConfiguration>/.exec(part);
  if (pool === null) {
    return part;
  }
  const group = part.replace(pool[0], '');
  const prepared = numberIn(pool[1]!, 'MaxGroupPreparedCapacity') ?? numberIn(group, 'MaxSize')!;
  const size = Math.max(prepared - numberIn(group, 'DesiredCapacity')!, numberIn(pool[1]!, 'MinSize') ?? 0);
  return part.replace(pool[0], `${pool[0]}<WarmPoolSize>${size}</WarmPoolSize>`);
}

const numberIn = (xml: string, name: string): number | null => {
  const found = new RegExp(`<${name}>(\\d+)</${name}>`).exec(xml);
  return found === null ? null : Number(found[1]);
};
