/** The vulnerabilities that the project's policy allows, each with author, reason and last day. Edited with the policy. */
import type { AllowedCve } from '@slipway/contract/registry/policy.ts';
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table } from '@slipway/ui/list/Table.tsx';
import { Plus } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { allowedColumns } from '#features/registry/allowed-columns.tsx';
import type { RegistryPlace } from '#features/registry/use-registry.ts';

export function AllowedPanel({ place, registry }: { place: RegistryPlace; registry: ContainerRegistry }) {
  const { allowedCves } = registry.policy;
  const policy = paths.containerRegistry(place, 'policy');
  if (allowedCves.length === 0) return null;
  return (
    <Panel aria-labelledby="allowed">
      <PanelHead title="Allowed in this project" titleId="allowed" note={`For every image of ${place.app}`}>
        <LinkButton size="sm" href={`${policy}#allowed`} icon={<Plus aria-hidden="true" />} {...disabledUnless(registry.can, 'update')}>
          Allow one
        </LinkButton>
      </PanelHead>
      <Table<AllowedCve>
        label="Allowed vulnerabilities"
        columns={allowedColumns()}
        rows={allowedCves}
        rowKey={({ cveId }) => cveId}
        phone="flow"
      />
    </Panel>
  );
}
