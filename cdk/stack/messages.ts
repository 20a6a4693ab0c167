import { Stack } from 'aws-cdk-lib';
import { EventBus, EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { EVENT_SOURCE } from '@outrigger/core/model/message.ts';
import type { ClusterSettings } from '../settings.ts';

type Settings = Pick<ClusterSettings, 'name' | 'dryRun' | 'eventBusArn' | 'messageTopicArn'>;

/** The event bus that the functions send messages to; `undefined`: none, as in `mode: observe`. */
export function messageBusOf(scope: Construct, { dryRun, eventBusArn, messageTopicArn }: Settings): string | undefined {
  if (dryRun || (eventBusArn === undefined && messageTopicArn === undefined)) {
    return undefined;
  }
  const defaultBus = { service: 'events', resource: 'event-bus', resourceName: 'default' };
  return eventBusArn ?? Stack.of(scope).formatArn(defaultBus);
}

/** Forwards the messages of the cluster from the bus to the topic, if the settings name one. */
export function forwardMessages(scope: Construct, { name, eventBusArn, messageTopicArn }: Settings): void {
  if (eventBusArn === undefined || messageTopicArn === undefined) {
    return;
  }
  new Rule(scope, 'Messages', {
    description: `Brings the messages of cluster ${name} to an SNS topic`,
    eventBus: EventBus.fromEventBusArn(scope, 'MessageBus', eventBusArn),
    eventPattern: { source: [EVENT_SOURCE], detail: { cluster: [name] } },
    targets: [
      new SnsTopic(Topic.fromTopicArn(scope, 'MessageTopic', messageTopicArn), {
        // By a role EventBridge publishes without a change of the topic's policy.
        role: new Role(scope, 'MessagesRole', { assumedBy: new ServicePrincipal('events.amazonaws.com') }),
        message: chatMessage(name),
      }),
    ],
  });
}

/**
 * A custom notification of Amazon Q Developer in chat applications (administrator guide, "Custom notifications"): Slack and
 * Teams show no other JSON. EventBridge escapes quotation marks if a field of the event is a whole string of the template.
 */
function chatMessage(cluster: string): RuleTargetInput {
  const kind = EventField.detailType;
  return RuleTargetInput.fromObject({
    version: '1.0',
    source: 'custom',
    id: EventField.fromPath('$.detail.id'),
    content: {
      textType: 'client-markdown',
      title: `${cluster}: ${kind}`,
      description: EventField.fromPath('$.detail.text'),
    },
    metadata: { eventType: kind, additionalContext: { cluster } },
  });
}
