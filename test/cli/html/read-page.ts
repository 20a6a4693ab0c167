import { createHash } from 'node:crypto';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { type PackedReport, unpacked } from '../../../cli/html/packed.ts';
import type { Report } from '../../../cli/html/report.ts';

export interface ReadPage {
  /** All elements in the order of the document, as a browser reads it. */
  readonly elements: readonly ReadElement[];
  readonly report: Report;
  /** The directives of its policy. */
  readonly policy: Readonly<Record<string, readonly string[]>>;
}

export interface ReadElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A page, read as a browser reads it. */
export function readPage(html: string): ReadPage {
  const elements = elementsOf(parse(html).childNodes);
  const data = elements.find(({ attributes }) => attributes['id'] === 'report')!;
  const policy = elements.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy')!;
  return {
    elements,
    report: unpacked(JSON.parse(data.text) as PackedReport),
    policy: Object.fromEntries(
      policy.attributes['content']!.split('; ').map((directive) => {
        const [name = '', ...values] = directive.split(' ');
        return [name, values];
      }),
    ),
  };
}

/** As a policy names the text of a script or a style. */
export const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const elementsOf = (nodes: readonly DefaultTreeAdapterTypes.ChildNode[]): readonly ReadElement[] =>
  nodes.flatMap((node) =>
    'tagName' in node
      ? [
          {
            name: node.tagName,
            attributes: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])),
            text: node.childNodes.map((child) => ('value' in child ? child.value : '')).join(''),
          },
          ...elementsOf(node.childNodes),
        ]
      : [],
  );
