import { describe, expect, it } from 'vitest';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import { creationFailureOf, launchFailuresOf } from '../../../../providers/clusterapi/groups/launch-failures.ts';
import { group as nodeGroup } from '../../../scenario-builders.ts';
import { scalable } from '../builders.ts';

const NO_TEMPLATE = { reason: 'InfrastructureTemplateCloningFailed', message: 'no such template' };

describe('launches that failed', () => {
  it('are those of the Machines that are missing', () => {
    const group: NodeGroup = nodeGroup('g', {
      target: 3,
      instances: [{ id: 'default/a' as never, node: null, zone: null, state: 'Creating', error: null }],
    });

    expect(launchFailuresOf(group, NO_TEMPLATE)).toEqual([
      {
        id: 'i-placeholder-g-0',
        class: 'Configuration',
        code: NO_TEMPLATE.reason,
        message: 'no such template',
        zone: null,
      },
      {
        id: 'i-placeholder-g-1',
        class: 'Configuration',
        code: NO_TEMPLATE.reason,
        message: 'no such template',
        zone: null,
      },
    ]);
  });

  it.each([
    ['BootstrapTemplateCloningFailed', 'Configuration', 'BootstrapTemplateCloningFailed'],
    ['InvalidConfiguration', 'Configuration', 'InvalidConfiguration'],
    ['MachineCreationFailed', 'Other', 'MachineCreationFailed'],
    ['', 'Other', 'MachineCreationFailed'],
  ])('for the reason %j are of class %s', (reason, of, code) => {
    const group = nodeGroup('g', { target: 1, instances: [] });

    expect(launchFailuresOf(group, { reason, message: '' })).toMatchObject([{ class: of, code }]);
  });

  it('have the reason of the resource, or of one of its MachineSets', () => {
    const condition = { type: 'MachinesCreated', status: 'False', ...NO_TEMPLATE };
    const set = scalable('MachineSet', 's', { status: { conditions: [condition] } });
    const resource = scalable('MachineDeployment', 'd');

    expect(creationFailureOf({ resource: set, sets: [] })).toEqual(NO_TEMPLATE);
    expect(creationFailureOf({ resource, sets: [scalable('MachineSet', 'old'), set] })).toEqual(NO_TEMPLATE);
    expect(creationFailureOf({ resource, sets: [] })).toBeNull();
  });
});
