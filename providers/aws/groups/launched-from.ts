import type { Instance } from '@aws-sdk/client-auto-scaling';

/** The launch template or configuration of an instance, as its group has it. */
export type LaunchedFrom =
  | { readonly kind: 'template'; readonly id: string; readonly name: string; readonly version: string }
  | { readonly kind: 'configuration'; readonly name: string };

/** `null` where AWS does not say: an instance that was attached, say. */
export function launchedFrom({ LaunchTemplate, LaunchConfigurationName }: Instance): LaunchedFrom | null {
  if (LaunchTemplate?.Version !== undefined) {
    const { LaunchTemplateId: id = '', LaunchTemplateName: name = '', Version: version } = LaunchTemplate;
    return { kind: 'template', id, name, version };
  }
  return LaunchConfigurationName === undefined ? null : { kind: 'configuration', name: LaunchConfigurationName };
}
