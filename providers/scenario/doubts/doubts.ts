import type { Fields } from '../../manifest/fields.ts';
import { fieldOf } from '../../manifest/invalid.ts';
import { didYouMean } from '../../schema/known-fields.ts';
import { isObject, kindOf, listOfKind, placedIn, type PlacedManifest, unpackedManifests } from '../kinds.ts';
import type { Doubt } from './doubt.ts';
import { unknownFields } from './unknown-fields.ts';
import { unusedControllers } from './unused-controllers.ts';

/** Doubts about a document that is a valid Scenario, in the order of its parts. */
export function doubtsAbout(document: Fields): readonly Doubt[] {
  const groups = placedIn(document, 'nodeGroups', '');
  const manifests = unpackedManifests(listOfKind(document, 'objects'), 'objects');
  const nodes = new Set(manifests.filter(({ raw }) => isOfKind(raw, 'Node')).map(({ raw }) => nameOf(raw)));
  return [
    ...(nameOf(document) === '' ? [{ place: 'metadata.name', text: 'the Scenario has no name' }] : []),
    ...unknownFields(groups, manifests),
    ...groups.flatMap(({ raw, place }) => absentNodes(raw, place, nodes)),
    ...groups.flatMap(({ raw, place }) => templatesOf(raw, place).flatMap((one) => withoutRoomForPods(one))),
    ...manifests.flatMap((one) => (isOfKind(one.raw, 'Node') ? withoutRoomForPods(one) : [])),
    ...manifests.flatMap(({ raw, place }) => (isOfKind(raw, 'Pod') ? doubtsAboutPod(raw, place, nodes) : [])),
    ...unusedControllers(manifests),
  ];
}

const isOfKind = (raw: unknown, kind: string): raw is Fields => isObject(raw) && kindOf(raw, '', []) === kind;

function nameOf(raw: unknown): string {
  const metadata = isObject(raw) ? raw['metadata'] : null;
  const name = isObject(metadata) ? metadata['name'] : null;
  return typeof name === 'string' ? name : '';
}

function absentNodes(group: unknown, place: string, nodes: ReadonlySet<string>): readonly Doubt[] {
  return placedIn(group, 'nodes', place).flatMap(({ raw, place: at }) =>
    typeof raw !== 'string' || nodes.has(raw)
      ? []
      : [
          {
            place: at,
            text: `no Node of objects has the name "${raw}"${didYouMean(raw, nodes)}: it counts as upcoming`,
          },
        ],
  );
}

const templatesOf = (group: unknown, place: string): readonly PlacedManifest[] => [
  ...(isObject(group) && isObject(group['template'])
    ? [{ raw: group['template'], place: fieldOf(place, 'template') }]
    : []),
  ...placedIn(group, 'alternatives', place).flatMap(({ raw, place: at }) => templatesOf(raw, at)),
];

/** A Node whose resources are given without `pods` holds no pod. */
function withoutRoomForPods({ raw, place }: PlacedManifest): readonly Doubt[] {
  const status = isObject(raw) && isObject(raw['status']) ? raw['status'] : {};
  const key = isObject(status['allocatable']) ? 'allocatable' : 'capacity';
  const resources = status[key];
  return !isObject(resources) || Object.keys(resources).length === 0 || 'pods' in resources
    ? []
    : [{ place: fieldOf(place, `status.${key}`), text: 'the node holds no pods: give it some, as pods: 110' }];
}

function doubtsAboutPod(pod: Fields, place: string, nodes: ReadonlySet<string>): readonly Doubt[] {
  const spec = isObject(pod['spec']) ? pod['spec'] : {};
  const { nodeName } = spec;
  return [
    ...(typeof nodeName !== 'string' || nodeName === '' || nodes.has(nodeName)
      ? []
      : [
          {
            place: fieldOf(place, 'spec.nodeName'),
            text: `no Node of objects has the name "${nodeName}"${didYouMean(nodeName, nodes)}: the pod is left out`,
          },
        ]),
    ...(listOfKind(spec, 'containers').length > 0
      ? []
      : [{ place: fieldOf(place, 'spec.containers'), text: 'the pod has no container, and asks for nothing' }]),
  ];
}
