import { firstItem } from '@outrigger/core/model/values/existing.ts';
import * as z from 'zod';
import type { ExcludedNode, ExcludedNodeReason } from '@outrigger/core/model/scenario.ts';
import type { ExternalChoice } from '@outrigger/core/model/external-choice.ts';
import { PROVIDERS } from '@outrigger/core/model/provider.ts';
import { WHY_NODE_EXCLUDED } from '@outrigger/core/words/why-node-excluded.ts';
import { commitment } from './commitment.ts';
import { closed, listUnlessEmpty, optionalText, orNull, raw } from './document.ts';
import {
  type KubernetesMinor,
  kubernetesVersion as versionText,
} from '@outrigger/core/model/cluster/kubernetes-version.ts';
import { API_VERSION, name, choice, group, instance, node } from './names.ts';
import { type Notice, NOTICE_KINDS } from '@outrigger/core/model/notice.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { nodeGroup } from './node-group.ts';
import { pause } from './pause.ts';
import { options } from './options.ts';
import { integer } from './quantity.ts';
import { state } from './state.ts';
import { time } from './time.ts';
import { documented } from './documented.ts';
import { FORMER_FIELDS } from './former-names.ts';

const manifests = { type: 'array', items: { type: 'object', description: 'A Kubernetes object, as a manifest.' } };

const EXCLUDED_NODE_REASONS = Object.keys(WHY_NODE_EXCLUDED) as readonly ExcludedNodeReason[];
const KIND = /^(Node|Pod|CSINode|VolumeAttachment) /;

/** Older documents have the message in `reason`, and nothing else. */
const excludedNode = z.codec(closed({ node, reason: name, message: optionalText }), z.custom<ExcludedNode>(), {
  decode: ({ node: of, reason, message }, ctx): ExcludedNode => {
    const known = choice(EXCLUDED_NODE_REASONS).safeParse(reason);
    if (known.success) {
      return { node: of, reason: known.data, message };
    }
    if (message !== '') {
      ctx.issues.push({
        code: 'custom',
        message: firstItem(known.error.issues).message,
        input: reason,
        path: ['reason'],
      });
    }
    const kind = KIND.exec(reason)?.[1] ?? 'Node';
    return { node: of, reason: `Unreadable${kind}` as ExcludedNodeReason, message: reason };
  },
  encode: (given) => given,
});

const notice: z.ZodType<Notice> = closed({
  instance,
  group,
  kind: choice(NOTICE_KINDS),
  receivedAt: time,
  endsAt: orNull(time),
  hook: orNull(
    closed({
      name,
      token: z.string('a string').default(''),
      heartbeatUntil: orNull(time),
      waitsSince: time.optional(),
    }),
  ),
});

const externalChoice: z.ZodType<ExternalChoice> = closed({
  options: z.array(closed({ group, nodes: integer, pods: integer }), 'a list'),
  chosen: z.array(group, 'a list').default([]),
  error: orNull(z.string('a string')),
});

const VERSION = /^1\.\d{1,3}$/;

const kubernetesVersion = z.codec(
  z.string('a version of Kubernetes, such as "1.36"').regex(VERSION, 'a version of Kubernetes, such as "1.36"'),
  z.custom<KubernetesMinor>(),
  { decode: (text) => Number(text.slice('1.'.length)), encode: (minor) => versionText(minor) },
);

/**
 * The input of an evaluation. Options are read with the requested defaults, objects by hand-written readers for speed,
 * and node groups with the objects.
 */
export const scenario = closed(
  {
    apiVersion: documented(z.literal(API_VERSION, API_VERSION), `\`${API_VERSION}\``, 'an error'),
    kind: documented(z.literal('Scenario', 'Scenario'), '`Scenario`', 'an error'),
    metadata: documented(
      closed({ name: z.string('a string').default('') }).default({ name: '' }),
      '`name` is repeated in the decision',
      'empty',
    ),
    provider: documented(
      choice(PROVIDERS).default('aws'),
      '`aws` or `clusterapi`: of the groups that do not say another one',
      '`aws`',
    ),
    now: documented(time, 'the time of the decision, RFC 3339', 'an error'),
    seed: documented(integer.default(1), 'seed of random choices', '1'),
    kubernetesVersion: documented(
      kubernetesVersion.optional(),
      `version of the API server, as \`"1.36"\`: [its kube-scheduler](scheduler-conformance.md#versions) is followed`,
      '`1.36`',
    ),
    options: documented(raw(jsonSchemaOf(options)), 'see [options](options.md)', 'defaults'),
    nodeGroups: documented(raw(jsonSchemaOf(z.array(nodeGroup))), 'see below', 'none'),
    objects: documented(raw(manifests), 'Kubernetes manifests', 'none'),
    excludedNodes: documented(
      listUnlessEmpty(z.array(excludedNode, 'a list')),
      '`{node, reason, message}` for each node that something unreadable is on or about: it counts as neither room nor removable ([unreadable objects](unreadable-objects.md)); `reason` is one of [these](reasons.md#why-a-node-is-excluded), `message` names the object',
      'none',
    ),
    notices: documented(
      listUnlessEmpty(z.array(notice, 'a list')),
      '`{instance, group, kind, receivedAt, endsAt, hook}` for each instance that the cloud has announced the end of: kinds are in [notices](interruption-handling.md); `endsAt` and `hook: {name, token, heartbeatUntil, waitsSince}` where they are known; of several hooks the one counts that waits since the latest time',
      'none',
    ),
    pauses: documented(
      listUnlessEmpty(z.array(pause, 'a list')),
      '`{part, group, until, cancelDrains}` for each [pause](pause.md): `part` is `All`, `ScaleUp` or `ScaleDown`; without `group` it holds in the whole cluster, without `until` it does not end by itself',
      'none',
    ),
    commitments: documented(
      listUnlessEmpty(z.array(commitment, 'a list')),
      '`{kind, type, zone, count, available, coversSizes}` for each [commitment](consolidation.md#capacity-that-is-paid-for), with the option `reservedCapacity`: `kind` is `ReservedInstances`, `CapacityReservation` or `CapacityBlock`; without `zone` it is for the region; of `count` instances `available` are unused, where that is known; `coversSizes`: other sizes of the family are covered in proportion. For savings plans `{kind: SavingsPlan, family, commitment, rates}`: without `family` it is for all; `commitment` and the `rates` by instance type are in USD per hour. `{kind: Unread, call}` is for commitments that could not be read',
      'none',
    ),
    externalChoices: documented(
      listUnlessEmpty(z.array(externalChoice, 'a list')),
      '`{options, chosen, error}` for each answer of the [external expander](external-expander.md): `options` is a list of `{group, nodes, pods}`, `chosen` the groups that it prefers of them, `error` why there is no usable answer',
      'none',
    ),
    state: documented(
      state.optional(),
      'what the evaluation before left: the `state` of its decision',
      'a first start',
    ),
  },
  FORMER_FIELDS.scenario,
);
