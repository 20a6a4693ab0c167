import { describe, expect, it } from 'vitest';
import { RESOURCE_NAMES } from '../../../../providers/clusterapi/api/resources.ts';
import { clusterApiRbac } from '../../../../providers/kubernetes/manifests/cluster-api.ts';
import { manifestsOf, removableManifests } from '../../../../providers/kubernetes/manifests/manifests.ts';

const ROLES = {
  apiGroup: 'cluster.x-k8s.io',
  machineDeployments: true,
  infrastructureTemplates: ['*.infrastructure.cluster.x-k8s.io'],
};

/** `GROUP/RESOURCE VERB` of a role. */
const rightsOf = (name: string, roles: Parameters<typeof clusterApiRbac>[0] = ROLES): readonly string[] =>
  clusterApiRbac(roles).flatMap((object) =>
    'rules' in object && object.metadata.name === name
      ? object.rules.flatMap(({ apiGroups, resources, verbs }) =>
          resources.flatMap((resource) => verbs.map((verb) => `${apiGroups.join()}/${resource} ${verb}`)),
        )
      : [],
  );

describe('the roles for Cluster API', () => {
  it('read every kind that is read', () => {
    const read = rightsOf('outrigger-cluster-api');
    expect(Object.values(RESOURCE_NAMES).filter((name) => !read.includes(`cluster.x-k8s.io/${name} list`))).toEqual([]);
    expect(read).toContain('infrastructure.cluster.x-k8s.io/* list');
  });

  it('change sizes and machines, and nothing else', () => {
    expect(rightsOf('outrigger-machines')).toEqual([
      'cluster.x-k8s.io/machinesets/scale patch',
      'cluster.x-k8s.io/machinedeployments/scale patch',
      'cluster.x-k8s.io/machinepools/scale patch',
      'cluster.x-k8s.io/machines patch',
      'cluster.x-k8s.io/machines delete',
    ]);
  });

  it('change nothing where the functions only observe', () => {
    const [read, , change] = clusterApiRbac(ROLES, true);
    expect(read.rules).toEqual(clusterApiRbac(ROLES)[0].rules);
    expect(change).toMatchObject({ metadata: { name: 'outrigger-machines' }, rules: [] });
  });

  it('leave out what is not scaled: MachineDeployments, and kinds that OpenShift’s Machine API has not', () => {
    expect(rightsOf('outrigger-machines', { ...ROLES, machineDeployments: false }).join()).not.toContain('deployments');
    const openshift = { ...ROLES, apiGroup: 'machine.openshift.io', infrastructureTemplates: [] };
    expect(rightsOf('outrigger-cluster-api', openshift)).toEqual([
      'machine.openshift.io/machinesets get',
      'machine.openshift.io/machinesets list',
      'machine.openshift.io/machines list',
    ]);
    expect(rightsOf('outrigger-machines', openshift)).toHaveLength(3);
  });

  it('name the templates that the setting names', () => {
    const infrastructureTemplates = ['awsmachinetemplates.infrastructure.cluster.x-k8s.io', '*.infra.example.com'];
    expect(rightsOf('outrigger-cluster-api', { ...ROLES, infrastructureTemplates })).toEqual(
      expect.arrayContaining(['infrastructure.cluster.x-k8s.io/awsmachinetemplates list', 'infra.example.com/* list']),
    );
  });

  it('are applied where they are asked for alone, and removed in any case', () => {
    const settings = { cluster: 'web', schedulerUsers: [], flowSchema: false };
    const names = (objects: ReturnType<typeof manifestsOf>) =>
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const roles = ['ClusterRole outrigger-cluster-api', 'ClusterRoleBinding outrigger-machines'];
    expect(names(manifestsOf({ ...settings, clusterApi: ROLES }, null))).toEqual(expect.arrayContaining(roles));
    expect(names(manifestsOf(settings, null)).filter((name) => roles.includes(name))).toEqual([]);
    expect(names(removableManifests(settings))).toEqual(expect.arrayContaining(roles));
  });
});
