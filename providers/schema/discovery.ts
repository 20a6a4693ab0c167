import { nonEmpty } from '@outrigger/core/model/values/present.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { itemAt } from '@outrigger/core/model/values/existing.ts';
import * as z from 'zod';
import type { Discovery, DiscoveryTag, ExplicitGroup } from '@outrigger/core/model/discovery.ts';
import { closed } from './document.ts';
import { listOf } from './list-of.ts';
import { decodeJsonBy, refuse } from './read.ts';

const A_TAG = 'a tag as key or key=value, the key of at most 128 characters and the value of at most 256';
const tag = z.codec(z.string(A_TAG), z.custom<DiscoveryTag>(), {
  decode: (text, ctx) => tagOf(text) ?? refuse(ctx, A_TAG),
  encode: (given) => writeTag(given),
});

function tagOf(text: string): DiscoveryTag | null {
  const [, key, value = null] = /^([^=]{1,128})(?:=(.{0,256}))?$/s.exec(text) ?? [];
  return mapOptional(key, (name) => ({ key: name, value })) ?? null;
}

/** A tag as `key`, or `key=value`. */
export const writeTag = ({ key, value }: DiscoveryTag): string => (value === null ? key : `${key}=${value}`);

const A_GROUP = 'an Auto Scaling group as min:max:name, such as 1:10:workers';
const explicitGroup = z.codec(z.string(A_GROUP), z.custom<ExplicitGroup>(), {
  decode: (text, ctx): ExplicitGroup => {
    const match = /^(\d{1,6}):(\d{1,6}):([^\s:][^:]{0,254})$/.exec(text);
    const [min, max] = [Number(match?.[1]), Number(match?.[2])];
    if (match === null || min > max) {
      return refuse(ctx, A_GROUP);
    }
    return { name: itemAt(match, 3), min, max };
  },
  encode: ({ min, max, name }) => `${min}:${max}:${name}`,
});

const MOST_TAGS = 20;
const tagList = listOf(tag, { min: 1, max: MOST_TAGS }, 'tags');

const A_FLAG = `asg:tag=KEY,… with 1 to ${MOST_TAGS} tags, as Cluster Autoscaler's --node-group-auto-discovery has it`;
/** As the flag splits it: at each comma, with nothing to escape one. */
const flag = z.codec(z.string().max(8_000), z.custom<readonly DiscoveryTag[]>(), {
  decode: (text, ctx) => {
    const [, list] = /^asg:tag=(.+)$/s.exec(text) ?? [];
    const tags = (list ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map(tagOf);
    if (tags.length === 0 || tags.length > MOST_TAGS || tags.includes(null)) {
      return refuse(ctx, A_FLAG);
    }
    return tags as readonly DiscoveryTag[];
  },
  encode: (tags) => `asg:tag=${tags.map(writeTag).join(',')}`,
});

/** The setting `discovery`, before what is absent in it is empty. */
export const discovery = closed({
  tags: z
    .union([tagList, flag], { error: `a list of tags, or ${A_FLAG}` })
    .optional()
    .describe(
      "Tags that an Auto Scaling group must have, all of them: `key`, or `key=value`. Or the value of Cluster Autoscaler's `--node-group-auto-discovery`: `asg:tag=key,key=value`.",
    ),
  nodes: listOf(explicitGroup, { min: 1, max: 500 }, 'Auto Scaling groups')
    .optional()
    .describe(
      'Auto Scaling groups by name, with bounds of their own: `min:max:name`. A size stays within these and the bounds of the group. Without `tags`, only these.',
    ),
});

/** Reads the JSON of what `writeDiscovery` has written. @throws Error with everything that is wrong, after `origin` */
export function parseDiscovery(json: string, origin: string): Discovery {
  const { tags = [], nodes = [] } = decodeJsonBy(discovery, json, origin);
  return { tags, nodes };
}

/** As the setting is written. */
export const writeDiscovery = ({ tags, nodes }: Discovery): object => ({
  ...nonEmpty({ tags: tags.map(writeTag) }),
  ...nonEmpty({ nodes: nodes.map((group) => z.encode(explicitGroup, group)) }),
});
