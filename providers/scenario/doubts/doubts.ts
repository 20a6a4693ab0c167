import { type Fields, isFields, looseFields, looseList, looseText } from '../../manifest/fields.ts';
import { fieldOf } from '../../manifest/invalid.ts';
import { didYouMean } from '../../schema/known-fields.ts';
import { placedIn, type PlacedManifest, unpackedManifests, validKindOf } from '../kinds.ts';
import type { Doubt } from './doubt.ts';
import { unknownFields } from './unknown-fields.ts';
import { unusedControllers } from './unused-controllers.ts';

/** Doubts about a document that is a valid Scenario, in the order of its parts. */
export function doubtsAbout(document: Fields): readonly Doubt[] {
  const groups = placedIn(document, 'nodeGroups', '');
  const manifests = unpackedManifests(looseList(document['objects']), 'objects');
  const ofKind = (kind: string) => manifests.filter(({ raw }) => validKindOf(raw) === kind);
  const nodes = ofKind('Node');
  const names = new Set(nodes.map(({ raw }) => nameOf(raw)));
  return [
    ...doubtsAboutName(document),
    ...unknownFields(groups, manifests),
    ...groups
      .flatMap(({ raw, place }) => placedIn(raw, 'nodes', place))
      .flatMap((one) => absentNode(one, names, 'it counts as upcoming')),
    ...[...groups.flatMap(templatesOf), ...nodes].flatMap(withoutRoomForPods),
    ...ofKind('Pod').flatMap((one) => doubtsAboutPod(one, names)),
    ...unusedControllers(manifests),
  ];
}

const nameOf = (raw: unknown): string => looseText(looseFields(looseFields(raw)['metadata'])['name']);

const doubtsAboutName = (document: Fields): readonly Doubt[] =>
  nameOf(document) === '' ? [{ place: 'metadata.name', text: 'the Scenario has no name' }] : [];

/** The doubt about the name of a Node that is not among the objects. */
function absentNode({ raw, place }: PlacedManifest, nodes: ReadonlySet<string>, consequence: string): readonly Doubt[] {
  const name = looseText(raw);
  if (name === '' || nodes.has(name)) {
    return [];
  }
  return [{ place, text: `no Node of objects has the name "${name}"${didYouMean(name, nodes)}: ${consequence}` }];
}

const templatesOf = ({ raw, place }: PlacedManifest): readonly PlacedManifest[] => [
  { raw: looseFields(raw)['template'], place: fieldOf(place, 'template') },
  ...placedIn(raw, 'alternatives', place).flatMap(templatesOf),
];

/** A Node whose resources are given without `pods` holds no pod. */
function withoutRoomForPods({ raw, place }: PlacedManifest): readonly Doubt[] {
  const { allocatable, capacity } = looseFields(looseFields(raw)['status']);
  const [key, resources] = isFields(allocatable) ? ['allocatable', allocatable] : ['capacity', looseFields(capacity)];
  if (Object.keys(resources).length === 0 || 'pods' in resources) {
    return [];
  }
  return [{ place: fieldOf(place, `status.${key}`), text: 'the node holds no pods: give it some, as pods: 110' }];
}

function doubtsAboutPod({ raw, place }: PlacedManifest, nodes: ReadonlySet<string>): readonly Doubt[] {
  const { nodeName, containers } = looseFields(looseFields(raw)['spec']);
  const doubts = absentNode({ raw: nodeName, place: fieldOf(place, 'spec.nodeName') }, nodes, 'the pod is left out');
  if (looseList(containers).length > 0) {
    return doubts;
  }
  return [
    ...doubts,
    { place: fieldOf(place, 'spec.containers'), text: 'the pod has no container, and asks for nothing' },
  ];
}
