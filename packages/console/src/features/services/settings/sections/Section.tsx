/** One of the nine sections. The section list links to its title. */
import { settingsSections, type SettingsSection } from '@slipway/contract/pipeline/service-change.ts';
import { FormGroup } from '@slipway/ui/form/FormGroup.tsx';
import type { ReactNode } from 'react';

export function Section({ name, children }: { name: SettingsSection; children: ReactNode }) {
  return (
    <FormGroup title={settingsSections[name]} id={sectionId(name)}>
      {children}
    </FormGroup>
  );
}

export const sectionId = (section: SettingsSection): string => section;
