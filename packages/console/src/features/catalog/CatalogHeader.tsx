/** The header of the catalog's pages: its parts as tabs. */
import { catalogAuthorityView, catalogLabelList } from '@slipway/contract/catalog/directory.ts';
import { requestCounts } from '@slipway/contract/request/request-counts.ts';
import { TabsNav } from '@slipway/ui/layout/TabsNav.tsx';
import type { ReactNode } from 'react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';

type Part = 'Browse' | 'Tree' | 'Requests' | 'Monthly summary' | 'Labels' | 'Imports' | 'Approvers' | 'Options';

export const useAuthority = () => {
  const { data } = useQuery(catalogAuthorityView, {}, { pollMs: 0 });
  const isApprover = data?.authorities.some((authority) => authority !== 'CATALOGUE_USER') ?? false;
  const isAdministrator = data?.authorities.includes('PLATFORM_ADMINISTRATOR') ?? false;
  return { username: data?.username, isApprover, isAdministrator };
};

export function CatalogHeader({ part, actions }: { part: Part; actions?: ReactNode }) {
  usePageTitle([part === 'Browse' ? 'Catalog' : part, ...(part === 'Browse' ? [] : ['Catalog'])]);
  const { data: waiting } = useQuery(requestCounts, {});
  const { isAdministrator } = useAuthority();
  const { data: labels } = useQuery(catalogLabelList, {}, { pollMs: 0 });
  const tab = (label: Part, href: string, more: object = {}) => ({ label, href, isCurrent: label === part, ...more });
  return (
    <PageHeader isList hasTabs name="Catalog" actions={actions}>
      <TabsNav
        label="Catalog"
        items={[
          tab('Browse', paths.catalog()),
          tab('Tree', paths.catalogTree()),
          tab('Requests', paths.requests(), waiting && waiting.decide > 0 ? { count: waiting.decide } : {}),
          tab('Monthly summary', paths.catalogSummary()),
          tab('Labels', paths.catalogLabels(), labels ? { count: labels.filter(({ archived }) => !archived).length } : {}),
          tab('Imports', paths.catalogImports()),
          tab('Approvers', paths.catalogApprovers()),
          ...(isAdministrator || part === 'Options' ? [tab('Options', paths.catalogOptions())] : []),
        ]}
      />
    </PageHeader>
  );
}
