import * as z from 'zod';
import type { ProviderName } from '../../core/model/scenario.ts';
import { closed, raw, listUnlessEmpty } from './document.ts';
import { API_VERSION, name, choice, node } from './names.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { nodeGroup } from './node-group.ts';
import { options } from './options.ts';
import { integer } from './quantity.ts';
import { state } from './state.ts';
import { time } from './time.ts';
import { told } from './told.ts';

const PROVIDERS: readonly ProviderName[] = ['aws', 'clusterapi'];

const manifests = { type: 'array', items: { type: 'object', description: 'A Kubernetes object, as a manifest.' } };

/**
 * The input of an evaluation. Options are read with the requested defaults, objects by hand-written readers for speed,
 * and node groups with the objects.
 */
export const scenario = closed({
  apiVersion: told(z.literal(API_VERSION, API_VERSION), `\`${API_VERSION}\``, 'an error'),
  kind: told(z.literal('Scenario', 'Scenario'), '`Scenario`', 'an error'),
  metadata: told(
    closed({ name: z.string('a string').default('') }).default({ name: '' }),
    '`name` is repeated in the decision',
    'empty',
  ),
  provider: told(choice(PROVIDERS).default('aws'), '`aws` or `clusterapi`', '`aws`'),
  now: told(time, 'the time of the decision, RFC 3339', 'an error'),
  seed: told(integer.default(1), 'decides what is left to chance', '1'),
  options: told(raw(jsonSchemaOf(options)), 'see [options](options.md)', 'defaults'),
  nodeGroups: told(raw(jsonSchemaOf(z.array(nodeGroup))), 'see below', 'none'),
  objects: told(raw(manifests), 'Kubernetes manifests', 'none'),
  closedNodes: told(
    listUnlessEmpty(z.array(closed({ node, reason: name }), 'a list')),
    '`{node, reason}` for each node that something unreadable is on or about: it counts as neither room nor removable ([unreadable objects](unreadable-objects.md))',
    'none',
  ),
  state: told(state.optional(), 'what the evaluation before left: the `state` of its decision', 'a first start'),
});
