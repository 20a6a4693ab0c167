import type * as z from 'zod';
import { decisionDocument } from './decision.ts';
import {
  adviceDocument,
  backtestDocument,
  comparisonDocument,
  groupExplanationDocument,
  historyDocument,
  nodeCostDocument,
  pausesDocument,
  nodeExplanationDocument,
  plannedPlacementDocument,
  podExplanationDocument,
  replayDocument,
  statusDocument,
  timelineDocument,
} from './explanation.ts';
import { documentSchemaOf, type JsonSchema } from './json-schema.ts';
import { messageDocument } from './message.ts';
import { options } from './options.ts';
import { scenario } from './scenario.ts';
import { state } from './state.ts';
import { workload } from './workload.ts';

interface Document {
  readonly title: string;
  readonly schema: z.ZodType;
}

const DOCUMENTS = {
  scenario: { title: 'Scenario: what an evaluation is given', schema: scenario },
  state: { title: 'State: what one evaluation leaves for the next', schema: state },
  decision: { title: 'Decision: what an evaluation decides', schema: decisionDocument },
  status: { title: 'Status: what outrigger status prints', schema: statusDocument },
  'pod-explanation': { title: 'What outrigger explain pod prints', schema: podExplanationDocument },
  'node-explanation': { title: 'What outrigger explain node prints', schema: nodeExplanationDocument },
  'group-explanation': { title: 'What outrigger explain group prints', schema: groupExplanationDocument },
  pauses: { title: 'What outrigger pause and outrigger resume print', schema: pausesDocument },
  'planned-placement': { title: 'What outrigger planned-placement prints', schema: plannedPlacementDocument },
  timeline: { title: 'What outrigger explain --since prints', schema: timelineDocument },
  history: { title: 'What outrigger history prints', schema: historyDocument },
  comparison: { title: 'What outrigger compare prints', schema: comparisonDocument },
  replay: { title: 'What outrigger replay prints', schema: replayDocument },
  'node-cost': { title: 'What outrigger node-cost prints', schema: nodeCostDocument },
  backtest: { title: 'What outrigger backtest prints', schema: backtestDocument },
  advice: { title: 'What outrigger advise prints', schema: adviceDocument },
  event: { title: 'Event: the detail of an event on the event bus', schema: messageDocument },
  options: { title: 'Options', schema: options },
  workload: { title: 'Workload: what outrigger demo plays', schema: workload },
} as const satisfies Readonly<Record<string, Document>>;

export type DocumentName = keyof typeof DOCUMENTS;

export const DOCUMENT_NAMES = Object.keys(DOCUMENTS) as readonly DocumentName[];

/** The JSON Schema of one of the documents that Outrigger reads or writes, for editors and other programs. */
export function documentSchema(name: DocumentName): JsonSchema {
  const { title, schema }: Document = DOCUMENTS[name];
  return documentSchemaOf(name, title, schema);
}
