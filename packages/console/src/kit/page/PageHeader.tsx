/** The header of every page: a strip with the path's breadcrumbs and a skip link over its details. */
import { SkipLink } from '@slipway/ui/layout/SkipLink.tsx';
import { PageStrip, type PageStripProps } from '@slipway/ui/layout/PageStrip.tsx';
import { useCrumbs } from './crumbs.ts';
import { bodyId } from './PageBody.tsx';

export interface PageHeaderProps extends Omit<PageStripProps, 'crumbs'> {
  /** True if there are details or tabs between the name and the body: adds the skip link. */
  hasSkip?: boolean;
}

export function PageHeader({ hasSkip = true, ...strip }: PageHeaderProps) {
  const crumbs = useCrumbs();
  return (
    <>
      {hasSkip && <SkipLink target={bodyId}>Skip page details</SkipLink>}
      <PageStrip {...strip} crumbs={crumbs} />
    </>
  );
}
