import { readdirSync, readFileSync } from 'node:fs';
import { plain } from './mutants.ts';
import { resourcesOf, type Template } from './synthesize.ts';

/** Resources that call something, or let something in. */
const USED = [
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::EKS::AccessEntry',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Url',
  'AWS::Scheduler::Schedule',
];

/** Parts that a run must have used: logical ids, and the targets of rules. */
export const usedIn = (template: Template): readonly string[] => [
  ...USED.flatMap((type) => resourcesOf(template, type).map(([id]) => id)),
  ...resourcesOf(template, 'AWS::Events::Rule').flatMap(([id, { Properties = {} }]) =>
    (Properties['Targets'] as readonly { readonly Id: string }[]).map((target) => `${id}.${target.Id}`),
  ),
];

/** Each variable in the environment of each function. */
export const variablesOf = (template: Template) =>
  resourcesOf(template, 'AWS::Lambda::Function').flatMap(([id, { Properties = {} }]) => {
    const { Variables } = Properties['Environment'] as { readonly Variables: object };
    return Object.keys(Variables).map((variable) => ({ id, name: plain(id), variable }));
  });

const CDK_TESTS = new URL('../../cdk/', import.meta.url);

/** Is there a test of the stack with this in its name? */
export const cdkTestsNamed = (name: string): boolean =>
  readdirSync(CDK_TESTS)
    .filter((file) => file.endsWith('.test.ts'))
    .some((file) =>
      readFileSync(new URL(file, CDK_TESTS), 'utf8')
        .split('\n')
        .some((line) => /^\s*(?:it|test)[.(]/.test(line) && line.includes(name)),
    );
