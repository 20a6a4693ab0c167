import type { Discovery } from '../core/model/discovery.ts';
import { writeDiscovery } from '../providers/schema/discovery.ts';

/** The rules for Auto Scaling groups that are node groups, as the environment of a function has them. */
export const discoveryAsJson = (discovery: Discovery): string => JSON.stringify(writeDiscovery(discovery));
