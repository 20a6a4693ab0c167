import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The questions of Cluster Autoscaler's FAQ in its order, each with the heading that answers it; `=`: the heading before. */
const QUESTIONS: readonly (readonly [question: string, heading: string])[] = [
  ['What is Cluster Autoscaler?', 'What is Outrigger?'],
  ['When does Cluster Autoscaler change the size of a cluster?', 'When does Outrigger change the size of a cluster?'],
  [
    'What types of pods can prevent CA from removing a node?',
    'What types of pods can prevent a node from being removed?',
  ],
  ['Which version on Cluster Autoscaler should I use in my cluster?', 'Which version should I use in my cluster?'],
  ['Is Cluster Autoscaler an Alpha, Beta or GA product?', 'Is Outrigger an alpha, beta or GA product?'],
  ['What are the Service Level Objectives for Cluster Autoscaler?', 'What are the service level objectives?'],
  [
    'How does Horizontal Pod Autoscaler work with Cluster Autoscaler?',
    'How does the Horizontal Pod Autoscaler work with Outrigger?',
  ],
  ['What are the key best practices for running Cluster Autoscaler?', 'What are the key best practices?'],
  [
    'Should I use a CPU-usage-based node autoscaler with Kubernetes?',
    'Should I use an autoscaler of nodes that looks at CPU usage? Is it compatible?',
  ],
  ['How is Cluster Autoscaler different from CPU-usage-based node autoscalers?', '='],
  ['Is Cluster Autoscaler compatible with CPU-usage-based node autoscalers?', '='],
  [
    'How does Cluster Autoscaler work with Pod Priority and Preemption?',
    'How does Outrigger work with pod priority and preemption?',
  ],
  ['How does Cluster Autoscaler remove nodes?', 'How does Outrigger remove nodes?'],
  [
    'How does Cluster Autoscaler treat nodes with status/startup/ignore taints?',
    'How are nodes with status, startup and ignored taints treated?',
  ],
  [
    "I'm running cluster with nodes in multiple zones for HA purposes. Is that supported by Cluster Autoscaler?",
    'My nodes are in several zones. Is that supported?',
  ],
  ['How can I monitor Cluster Autoscaler?', 'How can I monitor Outrigger?'],
  [
    'How can I increase the information that the CA is logging?',
    'How can I see more in the log, or another format of it?',
  ],
  ['How can I change the log format that the CA outputs?', '='],
  ['How can I see all the events from Cluster Autoscaler?', 'How can I see all events?'],
  [
    'How can I scale my cluster to just 1 node?',
    'How can I scale my cluster to just one node, or a node group to zero?',
  ],
  ['How can I scale a node group to 0?', '='],
  [
    'How can I prevent Cluster Autoscaler from scaling down a particular node?',
    'How can I prevent the removal of a particular node?',
  ],
  [
    'How can I prevent Cluster Autoscaler from scaling down non-empty nodes?',
    'How can I prevent the removal of non-empty nodes?',
  ],
  ['How can I modify Cluster Autoscaler reaction time?', 'How can I modify the reaction time?'],
  ['How can I configure overprovisioning with Cluster Autoscaler?', 'How can I configure overprovisioning?'],
  [
    'How can I enable/disable eviction for a specific DaemonSet',
    'How can I enable or disable the eviction of a specific DaemonSet?',
  ],
  [
    "How can I enable Cluster Autoscaler to scale up when Node's max volume count is exceeded (CSI migration enabled)?",
    'How are nodes added when the maximum of volumes is exceeded?',
  ],
  ['Are all of the mentioned heuristics and timings final?', 'Are all of the mentioned heuristics and timings final?'],
  ['How does scale-up work?', 'How does scale-up work? How does scale-down work?'],
  ['How does scale-down work?', '='],
  [
    'Does CA work with PodDisruptionBudget in scale-down?',
    'Does scale-down work with PodDisruptionBudgets? Does it respect graceful termination?',
  ],
  ['Does CA respect GracefulTermination in scale-down?', '='],
  ['How does CA deal with unready nodes?', 'How are unready nodes dealt with?'],
  ['How fast is Cluster Autoscaler?', 'How fast is Outrigger, and how fast with the Horizontal Pod Autoscaler?'],
  ['How fast is HPA when combined with CA?', '='],
  ['Where can I find the designs of the upcoming features?', 'Where can I find the designs of the upcoming features?'],
  ['What are Expanders?', 'What are expanders?'],
  [
    'Does CA respect node affinity when selecting node groups to scale up?',
    'Is node affinity respected when node groups are chosen?',
  ],
  ['What are the parameters to CA?', 'What are the parameters?'],
  [
    'I have a couple of nodes with low utilization, but they are not scaled down. Why?',
    'I have nodes with low utilization that are not removed. Why?',
  ],
  ['How to set PDBs to enable CA to move kube-system pods?', 'How do I let pods of kube-system be moved?'],
  [
    'I have a couple of pending pods, but there was no scale-up?',
    'I have pending pods, but there was no scale-up. Why?',
  ],
  ['CA doesn’t work, but it used to work yesterday. Why?', 'It worked yesterday, and does not work today. Why?'],
  ['How can I check what is going on in CA ?', 'How can I check what is going on?'],
  ['What events are emitted by CA?', 'What events are emitted?'],
  [
    'My cluster is below minimum / above maximum number of nodes, but CA did not fix that! Why?',
    'My cluster is below its minimum or above its maximum, and that is not corrected. Why?',
  ],
  [
    'What happens in scale-up when I have no more quota in the cloud provider?',
    'What happens when the account has no more quota, or AWS no more capacity?',
  ],
  ['What go version should be used to compile CA?', 'What version of Node should be used?'],
  ['How can I run e2e tests?', 'How can I run end-to-end tests?'],
  ['How should I test my code before submitting PR?', 'How should I test my code before submitting a pull request?'],
  [
    'How can I update CA dependencies (particularly k8s.io/kubernetes)?',
    "How can I update dependencies, Kubernetes' among them?",
  ],
];

test("the FAQ answers each question of Cluster Autoscaler's FAQ, in its order", () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/faq.md'), 'utf8');
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading!);
  expect(headings).toEqual(QUESTIONS.map(([, heading]) => heading).filter((heading) => heading !== '='));
});
