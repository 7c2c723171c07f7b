/** Where the section list leads: the anchor of a section's title. */
import type { SettingsSection } from '@slipway/contract/service-settings.ts';

export const sectionId = (section: SettingsSection): string => section;
