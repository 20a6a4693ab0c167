import type { Intent } from '../model/intent.ts';

/** An intent in one phrase, after the name of its group, and its fields for a structured log. */
export function explainIntent(intent: Intent): {
  readonly phrase: string;
  readonly fields: Readonly<Record<string, unknown>>;
} {
  switch (intent.kind) {
    case 'SetSize': {
      const { from, to } = intent;
      return { phrase: `${from} → ${to}`, fields: { from, to } };
    }
    case 'DeleteInstances': {
      const { instances } = intent;
      return { phrase: `without ${instances.join(', ')}`, fields: { instances } };
    }
    case 'RemoveNodes': {
      const nodes = intent.nodes.map(({ node }) => node);
      return { phrase: `without ${nodes.join(', ')}`, fields: { nodes } };
    }
  }
}
